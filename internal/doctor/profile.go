package doctor

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/markdown"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

func checkProfile(_ context.Context, e *Examination) []Finding {
	const check = "profile"
	c, err := e.Config()
	if err != nil {
		return []Finding{skipped(check, "not checked, because the configuration cannot be read")}
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
		return []Finding{problemOf(check, err), skipped("network", "not checked, because no service is known")}
	}
	e.profile = &profile
	return []Finding{passed(check, "%s (from %s): %s", name, source, where)}
}

// checkStyle looks for a style that no reply could be shown in.
func checkStyle(_ context.Context, e *Examination) []Finding {
	if err := markdown.CheckStyle(e.profile.Style, e.Env("GLAMOUR_STYLE")); err != nil {
		return []Finding{problem("style", failure.Plain(config.StyleHint()), "%v", err)}
	}
	return nil
}

// checkAgents looks at the agent of the next question and at the aliases.
func checkAgents(_ context.Context, e *Examination) []Finding {
	const check = "agent"
	findings := []Finding{e.chosenAgent(check)}
	for _, name := range e.profile.AgentNames() {
		if id := e.profile.Agents[name]; !config.IsUUID(id) && name != e.profile.Agent {
			findings = append(findings, problem(check, failure.Hintf("%s", failure.Run("hobnob agents add %s UUID", shell.Word(name))), "the alias %s stands for %q, which is no UUID", name, id))
		}
	}
	return findings
}

func (e *Examination) chosenAgent(check string) Finding {
	p := e.profile
	id, err := p.AgentID(p.Agent)
	switch {
	case err != nil:
		return problemOf(check, err)
	case p.Agent == "" && p.Embedded():
		return passed(check, "guide; none is set")
	case p.Agent == "":
		return passed(check, "none is set, so the service chooses; choose one with: %s", failure.Run("hobnob agents use NAME"))
	}
	what := p.Agent
	if what != id {
		what += ", " + id
	}
	c, _ := e.Config() // which has the profile, so it was read
	setting, _ := config.Lookup("agent")
	value, _ := c.Get(p.Name, setting)
	return passed(check, "%s (from %s)", what, value.Source)
}
