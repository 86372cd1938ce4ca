package doctor

import (
	"context"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/markdown"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

func checkProfile(_ context.Context, e *examination) Finding {
	c, err := e.f.Config()
	if err != nil {
		return e.skipped("not checked: cannot read the configuration")
	}
	var profile config.Profile
	name, source, err := c.Active()
	if err == nil {
		profile, err = c.Profile(name)
	}
	where := "the service built into hobnob"
	if err == nil && !profile.Embedded() {
		where = profile.BaseURL
		_, err = baseurl.Parse(profile.BaseURL, profile.AllowInsecureHTTP)
	}
	if err != nil {
		e.report(e.problemOf(err))
		e.check = "network"
		return e.skipped("not checked: no valid profile")
	}
	e.profile = &profile
	return e.passed("%s %s: %s", name, source.Note(), where)
}

// checkStyle reports a style in which replies cannot be rendered.
func checkStyle(_ context.Context, e *examination) Finding {
	if err := markdown.CheckStyle(e.profile.Style, e.f.Env("GLAMOUR_STYLE")); err != nil {
		return e.problem(failure.Plain(config.StyleHint()), "%v", err)
	}
	return Finding{}
}

// checkAgents checks the agent of the next question and the aliases.
func checkAgents(_ context.Context, e *examination) Finding {
	e.report(e.chosenAgent())
	for _, name := range e.profile.AgentNames() {
		id := e.profile.Agents[name]
		switch _, err := e.profile.AgentID(name); {
		case name == e.profile.Agent:
		case errors.As(err, new(*config.NotBuiltInError)):
			e.report(e.problemOf(err))
		case err != nil:
			e.report(e.problem(failure.Hintf("%s", failure.Run("hobnob agents add %s UUID", shell.Word(name))), "alias %s has an invalid UUID %q", name, id))
		}
	}
	return Finding{}
}

func (e *examination) chosenAgent() Finding {
	p := e.profile
	id, err := p.AgentID(p.Agent)
	switch {
	case err != nil:
		return e.problemOf(err)
	case p.Agent == "" && p.Embedded():
		return e.passed("guide (default)")
	case p.Agent == "":
		return e.passed("not set, chosen by the service; to set it: %s", failure.Run("hobnob agents use NAME"))
	}
	what := p.Agent
	if what != id {
		what += ", " + id
	}
	c, _ := e.f.Config() // cannot fail: the profile comes from it
	setting, _ := config.Lookup("agent")
	value, _ := c.Get(p.Name, setting)
	return e.passed("%s %s", what, value.Source.Note())
}
