package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

const (
	// completionTime bounds what a Tab may take.
	completionTime = 500 * time.Millisecond
	// mostFiles bounds how many files of a directory are offered.
	mostFiles = 500
)

func (i *interactive) completeAgent(string) []terminal.Candidate {
	var out []terminal.Candidate
	for _, name := range i.profile.AgentNames() {
		out = append(out, terminal.Candidate{Value: name, Description: i.profile.Agents[name]})
	}
	return out
}

// completeConversation offers titles, and ids where the title is not one that can
// be typed.
func (i *interactive) completeConversation(typed string) []terminal.Candidate {
	if i.asker.History == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	found, err := i.asker.History.List(ctx, history.Filter{Profile: i.profile.Name, Limit: mostCandidates})
	if err != nil {
		return nil
	}
	var out []terminal.Candidate
	seen := map[string]bool{}
	for _, c := range found {
		short := history.Short(c.ID)
		if typed != "" && strings.HasPrefix(short, typed) {
			out = append(out, terminal.Candidate{Value: short, Description: c.Title})
			continue
		}
		if c.Title == terminal.CleanLine(c.Title) && c.Title != "" && !seen[c.Title] {
			seen[c.Title] = true
			out = append(out, terminal.Candidate{Value: c.Title, Description: short})
		} else {
			out = append(out, terminal.Candidate{Value: short, Description: c.Title})
		}
	}
	return out
}

func (i *interactive) completeTurn(string) []terminal.Candidate {
	if i.asker.History == nil || i.question.Conversation == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	turns, err := i.asker.History.Turns(ctx, i.question.Conversation.ID)
	if err != nil {
		return nil
	}
	var out []terminal.Candidate
	for n := len(turns) - 1; n >= 0 && len(out) < mostCandidates; n-- {
		if turns[n].State == history.Answered {
			out = append(out, terminal.Candidate{Value: history.Short(turns[n].ID), Description: history.TitleOf(turns[n].Question)})
		}
	}
	return out
}

// completeFile offers the files of the directory that is typed.
func (i *interactive) completeFile(typed string) []terminal.Candidate {
	dir, base := filepath.Split(typed)
	path, err := i.path(dir)
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(first(path, "."))
	if err != nil {
		return nil
	}
	var out []terminal.Candidate
	for _, entry := range entries {
		name := entry.Name()
		if name != terminal.CleanLine(name) || strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".") {
			continue
		}
		if filepath.Separator == '/' {
			name = strings.ReplaceAll(name, " ", `\ `)
		}
		if !strings.HasPrefix(strings.ToLower(name), strings.ToLower(base)) {
			continue
		}
		if entry.IsDir() {
			name += string(filepath.Separator)
		}
		if out = append(out, terminal.Candidate{Value: dir + name}); len(out) == mostFiles {
			break
		}
	}
	return out
}
