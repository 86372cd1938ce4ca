package login

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// uuids matches UUIDs, also inside an address of the client application.
var uuids = regexp.MustCompile(`(?i)\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)

// asksAgent reports whether to ask for the agent: the profile is new, and neither a
// flag, the environment nor the file sets its agent.
func (d *dialogue) asksAgent() bool { return d.fresh && d.Agent == "" && d.profile.Agent == "" }

// checkAlias returns an error if the alias belongs to another agent, or if no agent
// is given.
func (d *dialogue) checkAlias(alias, agent string) error {
	old, taken := d.profile.Agents[alias]
	switch {
	case alias == "":
		return nil
	case agent == "" && (d.WithToken || !d.asksAgent()):
		return failure.Usagef("pass --agent UUID", "--alias %s has no agent", alias)
	case taken && agent != "" && !strings.EqualFold(old, agent):
		return failure.WithHint(failure.Usagef("", "alias %q is already in use for agent %s", alias, old), "choose another alias")
	}
	return nil
}

// askAgent asks for the agent of a new profile and its alias.
func (d *dialogue) askAgent(ctx context.Context) error {
	if d.asksAgent() {
		if err := d.askUUID(ctx); err != nil {
			return err
		}
	}
	if !d.fresh || d.Agent == "" || d.Alias != "" {
		return nil
	}
	text, preset := "Alias for this agent", d.profile.AgentName(d.Agent)
	if preset == d.Agent {
		text, preset = "Alias for this agent, such as reviewer (Enter for none)", ""
	}
	for range maxAnswers {
		answer, err := d.question(ctx, text, preset)
		if err != nil || answer == "" {
			return err
		}
		answer = strings.ToLower(answer)
		problem := config.CheckName(answer)
		if problem == nil {
			problem = d.checkAlias(answer, d.Agent)
		}
		if problem == nil {
			d.Alias = answer
			return nil
		}
		d.complain(problem.Error(), "")
	}
	return d.f.IO.PrintTTY(d.f.Print.Sprintf("The agent has no alias. To add one later: %s", failure.Run("hobnob agents add NAME UUID")))
}

func (d *dialogue) askUUID(ctx context.Context) error {
	text := "UUID of the agent (Enter to let the service choose)"
	if d.Alias != "" {
		text = "UUID of agent " + d.Alias
	}
	for range maxAnswers {
		answer, err := d.question(ctx, text, "")
		if err != nil || answer == "" && d.Alias == "" {
			return err
		}
		if ids := uuids.FindAllString(answer, -1); len(ids) == 1 {
			d.Agent = ids[0]
			return d.checkAlias(d.Alias, d.Agent)
		}
		d.complain(fmt.Sprintf("%q is not a UUID such as 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f", answer), "copy it from the agent's address in the client application")
	}
	d.Alias = ""
	return d.f.IO.PrintTTY(d.f.Print.Sprintf("The service chooses the agent. To add one later: %s", failure.Run("hobnob agents add NAME UUID")))
}
