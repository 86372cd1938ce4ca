package cmd

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

const (
	// completionTime bounds what a Tab may take.
	completionTime = 500 * time.Millisecond
	// mostFiles bounds how many files of a directory are offered.
	mostFiles = 500
)

func (i *interactive) completeAgent(string) []lineedit.Candidate {
	var out []lineedit.Candidate
	for _, name := range i.profile.AgentNames() {
		out = append(out, lineedit.Candidate{Value: name, Description: i.profile.Agents[name]})
	}
	return out
}

// completeConversation offers titles, and ids where the title is not one that can
// be typed.
func (i *interactive) completeConversation(typed string) []lineedit.Candidate {
	if !i.save {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	found, err := i.asker.History.List(ctx, history.Filter{Profile: i.profile.Name, Limit: mostCandidates})
	if err != nil {
		return nil
	}
	var out []lineedit.Candidate
	seen := map[string]bool{}
	for _, c := range found {
		short := history.Short(c.ID)
		if typed != "" && strings.HasPrefix(short, typed) {
			out = append(out, lineedit.Candidate{Value: short, Description: c.Title})
			continue
		}
		if c.Title == terminal.CleanLine(c.Title) && c.Title != "" && !seen[c.Title] {
			seen[c.Title] = true
			out = append(out, lineedit.Candidate{Value: c.Title, Description: short})
		} else {
			out = append(out, lineedit.Candidate{Value: short, Description: c.Title})
		}
	}
	return out
}

func (i *interactive) completeTurn(string) []lineedit.Candidate {
	if !i.save || i.question.Conversation == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	turns, err := i.asker.History.Turns(ctx, i.question.Conversation.ID)
	if err != nil {
		return nil
	}
	var out []lineedit.Candidate
	for n := len(turns) - 1; n >= 0 && len(out) < mostCandidates; n-- {
		if turns[n].State == history.Answered {
			out = append(out, lineedit.Candidate{Value: history.Short(turns[n].ID), Description: history.TitleOf(turns[n].Question)})
		}
	}
	return out
}

// completeFile offers the files of the directory that is typed. What is typed may
// be the path itself or a word of a shell, and goes on as it began.
func (i *interactive) completeFile(typed string) []lineedit.Candidate {
	word, quote := shell.Unquote(typed)
	out := filesBeginning(typed, word, func(rest string) string { return shell.Continue(rest, quote) }, quote)
	if word != typed { // such as an apostrophe
		out = append(out, filesBeginning(typed, typed, strings.Clone, 0)...)
	}
	return out
}

// filesBeginning offers the files whose path begins with this one, which was typed
// so; encode is how its rest is typed, and quote what ends it.
func filesBeginning(typed, path string, encode func(string) string, quote rune) []lineedit.Candidate {
	dir, base := filepath.Split(path)
	dir, err := atHome(dir)
	if err != nil || quote == '\\' {
		return nil
	}
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	var out []lineedit.Candidate
	for _, entry := range entries {
		name := entry.Name()
		if name != terminal.CleanLine(name) || strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".") {
			continue
		}
		var value string
		if before, ok := strings.CutSuffix(typed, encode(base)); ok && strings.HasPrefix(strings.ToLower(name), strings.ToLower(base)) {
			value = before + encode(name)
		} else if rest, ok := strings.CutPrefix(name, base); ok {
			value = typed + encode(rest)
		} else {
			continue
		}
		if entry.IsDir() {
			value += string(filepath.Separator)
		} else if quote != 0 {
			value += string(quote)
		}
		if out = append(out, lineedit.Candidate{Value: value}); len(out) == mostFiles {
			break
		}
	}
	return out
}
