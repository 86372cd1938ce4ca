package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func runAgent(ctx context.Context, s *session, name string) error {
	if name == "" {
		return listAgents(s)
	}
	change, err := s.at.SetAgent(ctx, name)
	if err != nil {
		return err
	}
	s.f.Print.Note("agent is now %s", s.at.AgentName())
	s.noteChange(change)
	return nil
}

func listAgents(s *session) error {
	profile := s.ask.Profile
	current, marked := s.at.Question.AgentID, false
	if current == "" {
		current = profile.BuiltIn["guide"] // nothing for other services, which choose themselves
	}
	var rows [][]string
	for _, alias := range profile.AgentNames() {
		mark := ""
		if profile.Agents[alias] == current && (s.at.alias == "" || s.at.alias == alias) {
			mark, marked = "current", true
		}
		rows = append(rows, []string{alias, profile.Agents[alias], mark})
	}
	if current != "" && !marked { // selected by its UUID
		rows = append(rows, []string{"", current, "current"})
	}
	if len(rows) == 0 {
		s.f.Print.Note("profile %q has no agents; to add one: %s", profile.Name, failure.Run("hobnob agents add NAME UUID"))
		return nil
	}
	return s.f.Print.Table([]terminal.Column{{Title: "NAME"}, {Title: "AGENT"}, {}}, rows)
}

func completeAgent(_ context.Context, s *session, _ string) []lineedit.Candidate {
	var out []lineedit.Candidate
	for _, name := range s.ask.Profile.AgentNames() {
		out = append(out, lineedit.Candidate{Value: name, Description: s.ask.Profile.Agents[name]})
	}
	return out
}
