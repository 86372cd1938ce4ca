package repl

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func runAgent(_ context.Context, s *session, name string) error {
	if name == "" {
		return listAgents(s)
	}
	id, err := s.ask.Profile.AgentID(name)
	if err != nil {
		return err
	}
	s.at.Question.AgentID = id
	s.f.Print.Note("asking %s from now on", s.at.AgentName())
	return nil
}

func listAgents(s *session) error {
	profile := s.ask.Profile
	var rows [][]string
	for _, alias := range profile.AgentNames() {
		mark := ""
		if profile.Agents[alias] == s.at.Question.AgentID {
			mark = "asked now"
		}
		rows = append(rows, []string{alias, profile.Agents[alias], mark})
	}
	if len(rows) == 0 {
		s.f.Print.Note("the profile %q names no agents; %s does", profile.Name, failure.Run("hobnob agents add NAME UUID"))
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
