package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type conversationsTreeOptions struct {
	f *cli.Factory

	Ref string
}

func newConversationsTreeCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsTreeOptions{f: f}
	return &cobra.Command{
		Use:   "tree [ID|TITLE]",
		Short: "Draw the branches of a conversation",
		Long: `Draw the turns of a conversation as a tree, the latest conversation or the one
that is named. A line goes straight on where one question follows another, and
branches where several follow the same turn. Each line begins with the id of its
turn. The head is marked.`,
		Example:           "  hobnob conversations tree\n  hobnob conversations switch 3f2a 8c1d",
		Args:              atMostOne,
		ValidArgsFunction: firstArgumentOnly(complete{f}.conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Ref = args[0]
			}
			return runConversationsTree(cmd.Context(), opts)
		},
	}
}

func runConversationsTree(ctx context.Context, opts conversationsTreeOptions) error {
	f := opts.f
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	conversation, err := f.Conversation(ctx, store, opts.Ref)
	if err != nil {
		return err
	}
	turns, err := store.Turns(ctx, conversation.ID)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.Print.JSON(conversationJSON(conversation, turns))
	}
	strokes := unicodeStrokes
	if f.IO.Accessible || !f.IO.UTF8 {
		strokes = asciiStrokes
	}
	var b strings.Builder
	b.WriteString(heading(f, conversation.Title, "") + "\n")
	for _, line := range drawTree(turns, strokes) {
		marks := ""
		if line.turn.ID == conversation.Head {
			marks += "(head) "
		}
		if line.turn.State != history.Answered {
			marks += "(" + string(line.turn.State) + ") "
		}
		lead := line.lead
		if f.IO.OutTTY {
			lead = leadEnd(f, lead, strokes)
		}
		text := history.Short(line.turn.ID) + "  " + lead + marks + markNote(line.turn.Mark) + terminal.CleanLine(history.TitleOf(line.turn.Question))
		if f.IO.OutTTY {
			text = f.IO.Truncate(text, f.IO.Columns())
		}
		b.WriteString(text + "\n")
	}
	return f.Print.Page(b.String())
}

// leadEnd is the end of a lead, half a screen of it at most, so that there is room for
// the question however deep the branches are.
func leadEnd(f *cli.Factory, lead string, s strokes) string {
	columns := []rune(lead)
	most := max(f.IO.Columns()/2/strokeColumns, 2) * strokeColumns
	if len(columns) <= most {
		return lead
	}
	return s.cut + string(columns[len(columns)-most+strokeColumns:])
}

func markNote(m history.Mark) string {
	if m == history.Unmarked {
		return ""
	}
	return "(" + strings.TrimPrefix(markName(m), ", ") + ") "
}

// strokeColumns is how wide each of the strokes is.
const strokeColumns = 3

// strokes are the parts that a tree is drawn of.
type strokes struct{ branch, last, pass, none, cut string }

var (
	unicodeStrokes = strokes{"├─ ", "└─ ", "│  ", "   ", "…  "}
	asciiStrokes   = strokes{"+- ", "`- ", "|  ", "   ", "..."}
)

// treeLine is a turn and what stands before it.
type treeLine struct {
	lead string
	turn history.Turn
}

// drawTree lays the turns out, each above those that follow it. A turn with one
// successor stays in its column, so that a long conversation is a straight line;
// only branches move right. It does not recurse: a conversation may be very long.
func drawTree(turns []history.Turn, s strokes) []treeLine {
	children := map[string][]int{}
	for i, t := range turns {
		children[t.Parent] = append(children[t.Parent], i)
	}
	type open struct {
		turn        int
		lead, below string // before the turn itself, and before what follows it
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
	push(children[""], "")
	var lines []treeLine
	for len(stack) > 0 && len(lines) < len(turns) {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		lines = append(lines, treeLine{o.lead, turns[o.turn]})
		push(children[turns[o.turn].ID], o.below)
	}
	return lines
}
