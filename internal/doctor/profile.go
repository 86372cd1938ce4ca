package doctor

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/markdown"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

func checkProfile(_ context.Context, e *examination) Finding {
	c, err := e.f.Config()
	if err != nil {
		return e.skipped("not checked, because the configuration cannot be read")
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
		return e.skipped("not checked, because no service is known")
	}
	e.profile = &profile
	return e.passed("%s (from %s): %s", name, source, where)
}

// checkStyle looks for a style that no reply could be shown in.
func checkStyle(_ context.Context, e *examination) Finding {
	if err := markdown.CheckStyle(e.profile.Style, e.f.Env("GLAMOUR_STYLE")); err != nil {
		return e.problem(failure.Plain(config.StyleHint()), "%v", err)
	}
	return Finding{}
}

// checkAgents looks at the agent of the next question and at the aliases.
func checkAgents(_ context.Context, e *examination) Finding {
	e.report(e.chosenAgent())
	for _, name := range e.profile.AgentNames() {
		if id := e.profile.Agents[name]; !config.IsUUID(id) && name != e.profile.Agent {
			e.report(e.problem(failure.Hintf("%s", failure.Run("hobnob agents add %s UUID", shell.Word(name))), "the alias %s stands for %q, which is no UUID", name, id))
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
		return e.passed("guide; none is set")
	case p.Agent == "":
		return e.passed("none is set, so the service chooses; choose one with: %s", failure.Run("hobnob agents use NAME"))
	}
	what := p.Agent
	if what != id {
		what += ", " + id
	}
	c, _ := e.f.Config() // which has the profile, so it was read
	setting, _ := config.Lookup("agent")
	value, _ := c.Get(p.Name, setting)
	return e.passed("%s (from %s)", what, value.Source)
}
