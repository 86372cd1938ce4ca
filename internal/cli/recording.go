package cli

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cassette"
	"github.com/hobnob-cli/hobnob/internal/config"
)

// record makes a client of the profile append its exchanges to the recording, if there
// is one.
func (f *Factory) record(options *api.Options, p config.Profile) error {
	path := f.Global.Record
	if path == "" {
		return nil
	}
	recorder, err := cassette.Record(path)
	if err != nil {
		return err
	}
	f.closes = append(f.closes, recorder.Close)
	p.Agent = f.DefaultAgent(p)
	options.Record = func(e api.Exchange) { recorder.Add(e, originOf(p, e)) }
	return nil
}

// DefaultAgent returns the agent of a profile that is asked without -a. With -a, that is
// not known, and it is "".
func (f *Factory) DefaultAgent(p config.Profile) string {
	if _, named := f.Settings["agent"]; named {
		return ""
	}
	return p.Agent
}

// originOf returns the profile and the alias of the agent that an exchange names.
func originOf(p config.Profile, e api.Exchange) cassette.Origin {
	var request api.Request
	_ = json.Unmarshal(e.Request, &request) // a GET names no agent
	origin := cassette.Origin{Profile: p.Name}
	if name := p.AgentName(request.AgentID); name != request.AgentID {
		origin.Agent = name
	}
	id, err := p.AgentID(p.Agent)
	origin.Default = err == nil && strings.EqualFold(id, request.AgentID)
	return origin
}

// openPlayer opens the recording to replay.
func openPlayer(f *Factory) (*cassette.Player, error) {
	path := f.Global.Replay
	player, err := cassette.Replay(path)
	if err != nil {
		return nil, err
	}
	f.closes = append(f.closes, player.Close)
	if player.Incomplete > 0 {
		f.Print.Note("line %d of %s is incomplete and is ignored", player.Incomplete, path)
	}
	return player, nil
}

// replayClient returns a client that is answered from the recording. It needs no
// address, no token and no network.
func (f *Factory) replayClient(p config.Profile) (*api.Client, error) {
	player, err := f.player()
	if err != nil {
		return nil, err
	}
	options := f.ClientOptions(p)
	options.CAFile, options.Replay = "", player.Answer
	if p.Embedded() {
		options.BaseURL, options.ConversationsPath = "http://localhost", ""
	} else if resolver, _, err := f.Tokens(p); err == nil {
		options.Refused = resolver.Given().Refused
	}
	// Questions that contain the token are recognized with it.
	options.Token = func(context.Context) (api.Token, error) { return api.Token{Secret: f.Env("HOBNOB_TOKEN")}, nil }
	return api.New(options)
}

// replayedProfile returns the selected profile with the agents of the recording, so
// that a script finds the agents for which it was recorded. A profile that is not set
// up has the settings of the profile "local".
func replayedProfile(f *Factory, c *config.Config) (config.Profile, error) {
	player, err := f.player()
	if err != nil {
		return config.Profile{}, err
	}
	p, err := c.ActiveProfile()
	var (
		unknown *config.UnknownProfileError
		none    *config.NoBaseURLError
	)
	switch {
	case errors.As(err, &unknown):
		p, err = c.Profile(config.Local)
		p.Name = unknown.Name
	case errors.As(err, &none):
		p, err = c.Profile(config.Local)
		p.Name = none.Profile
	case errors.As(err, new(*config.AmbiguousProfileError)):
		p, err = c.Profile(config.Local)
	}
	if err != nil {
		return config.Profile{}, err
	}
	agents := player.Agents()
	if of := agentsOf(agents, p.Name); len(of) > 0 {
		agents = of
	}
	p.BuiltIn, p.Agents = nil, maps.Clone(p.Agents)
	given := f.Env("HOBNOB_AGENT") != ""
	for i := len(agents) - 1; i >= 0; i-- { // the first one of a name counts
		if agents[i].Agent != "" {
			p.Agents[agents[i].Agent] = agents[i].ID
		}
		// The default agent may be an alias of it, with instructions of its own.
		if id, err := p.AgentID(p.Agent); agents[i].Default && !given && (err != nil || !strings.EqualFold(id, agents[i].ID)) {
			p.Agent = agents[i].ID
		}
	}
	return p, nil
}

// agentsOf returns the agents that were recorded in a profile.
func agentsOf(agents []cassette.Agent, profile string) []cassette.Agent {
	var out []cassette.Agent
	for _, a := range agents {
		if a.Profile == profile {
			out = append(out, a)
		}
	}
	return out
}
