package view

import (
	"iter"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Tree prints the turns of a conversation as a tree, one line per turn.
func Tree(p *cli.Printer, tree history.Tree) error {
	if p.WantsJSON() {
		return p.JSON(conversationJSON(tree))
	}
	c, turns := tree.Conversation, tree.Turns
	s := unicodeStrokes
	if p.IO.Accessible || !p.IO.UTF8 {
		s = asciiStrokes
	}
	var b strings.Builder
	b.WriteString(heading(p.IO, "", c.Title) + "\n")
	short := shortTurns(turns)
	for lead, t := range drawTree(turns, s) {
		if p.IO.OutTTY {
			lead = s.shorten(lead, p.IO.Columns()/2)
		}
		marks := labels(t, c.Head)
		if t.State != history.Answered {
			marks = append([]string{string(t.State)}, marks...)
		}
		for _, mark := range marks {
			lead += "(" + mark + ") "
		}
		text := short(t.ID) + "  " + lead + terminal.CleanLine(history.TitleOf(t.Question))
		if p.IO.OutTTY {
			text = p.IO.Truncate(text, p.IO.Columns())
		}
		b.WriteString(text + "\n")
	}
	return p.Page(b.String())
}

// strokes are the parts of a drawn tree.
type strokes struct{ branch, last, pass, none, cut string }

// strokeColumns is the width of each stroke, in columns.
const strokeColumns = 3

var (
	unicodeStrokes = strokes{"├─ ", "└─ ", "│  ", "   ", "…  "}
	asciiStrokes   = strokes{"+- ", "`- ", "|  ", "   ", "..."}
)

// shorten returns the end of lead that fits into width columns, at least two strokes,
// to leave room for the question in deep branches.
func (s strokes) shorten(lead string, width int) string {
	columns := []rune(lead)
	most := max(width/strokeColumns, 2) * strokeColumns
	if len(columns) <= most {
		return lead
	}
	return s.cut + string(columns[len(columns)-most+strokeColumns:])
}

// drawTree returns the turns in the order of the tree, each with the strokes before it.
// Only branches move to the right: a conversation without branches is a straight line.
// It does not recurse, because a conversation may be very long.
func drawTree(turns []history.Turn, s strokes) iter.Seq2[string, history.Turn] {
	children := map[string][]int{}
	for i, t := range turns {
		children[t.Parent] = append(children[t.Parent], i)
	}
	type open struct {
		turn        int
		lead, below string // the strokes before the turn and before its successors
	}
	var stack []open
	push := func(of []int, below string) {
		for i := len(of) - 1; i >= 0; i-- {
			o := open{turn: of[i], lead: below, below: below}
			if len(of) > 1 {
				o.lead, o.below = below+s.branch, below+s.pass
				if i == len(of)-1 {
					o.lead, o.below = below+s.last, below+s.none
				}
			}
			stack = append(stack, o)
		}
	}
	return func(yield func(string, history.Turn) bool) {
		push(children[""], "")
		for n := 0; len(stack) > 0 && n < len(turns); n++ {
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !yield(o.lead, turns[o.turn]) {
				return
			}
			push(children[turns[o.turn].ID], o.below)
		}
	}
}
