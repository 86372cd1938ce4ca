package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/history"
)

type statusOptions struct{ f *cli.Factory }

func newStatusCommand(f *cli.Factory) *cobra.Command {
	opts := statusOptions{f: f}
	return &cobra.Command{
		Use:   "status",
		Short: "Say which service, agent and token would be used",
		Long: `Say which profile, service, agent and token would be used, and where files are.
The token itself is never shown, and nothing is sent. The exit code is 4 when the
profile has no token.`,
		Example: "  hobnob status\n  hobnob status -p work --json",
		GroupID: groupConnect,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runStatus(cmd.Context(), opts) },
	}
}

// statusReport is what status knows; its JSON form is stable.
type statusReport struct {
	Profile       string  `json:"profile"`
	ProfileSource string  `json:"profile_source"`
	BaseURL       *string `json:"base_url"` // null for the built-in service
	Agent         *string `json:"agent"`
	AgentID       *string `json:"agent_id"`
	TokenSource   *string `json:"token_source"` // null when there is none, or none is needed
	TokenProblem  *string `json:"token_problem"`
	Keyring       string  `json:"keyring"`
	Conversations int     `json:"conversations"`
	// HistoryProblem says why the history cannot be read; null when it can.
	HistoryProblem *string `json:"history_problem"`
	Config         string  `json:"config"`
	Data           string  `json:"data"`
}

func runStatus(ctx context.Context, opts statusOptions) error {
	f := opts.f
	c, err := f.Config()
	if err != nil {
		return err
	}
	name, source, err := c.Active()
	if err != nil {
		return err
	}
	profile, err := c.Profile(name)
	if err != nil {
		return err
	}
	paths, err := f.Paths()
	if err != nil {
		return err
	}
	report := statusReport{
		Profile: name, ProfileSource: source.String(), BaseURL: cli.OrNull(profile.BaseURL), Agent: cli.OrNull(profile.Agent),
		Keyring: "not asked", Config: paths.ConfigFile, Data: paths.DataDir,
	}
	if id, err := profile.AgentID(profile.Agent); err == nil {
		report.AgentID = cli.OrNull(id)
	}
	var tokenErr error
	if !profile.Embedded() {
		if tokenErr, err = report.token(ctx, f, profile); err != nil {
			return err
		}
	}
	store, historyErr := f.ReadHistory(ctx)
	if historyErr == nil {
		report.Conversations, historyErr = store.Count(ctx, history.Filter{Profile: name})
	}
	if historyErr != nil {
		report.HistoryProblem = cli.OrNull(historyErr.Error())
	}
	if f.Global.JSON {
		err = f.Print.JSON(report)
	} else {
		err = report.print(f, profile)
	}
	if err != nil {
		return err
	}
	return errors.Join(tokenErr, historyErr)
}

// token finds out where the token would come from. The first error is about
// the token and part of the report.
func (r *statusReport) token(ctx context.Context, f *cli.Factory, profile config.Profile) (tokenErr, err error) {
	resolver, key, err := f.Tokens(profile)
	if err != nil {
		return nil, err
	}
	found := resolver.Probe(ctx, key)
	r.Keyring = "works"
	if found.Keyring != nil {
		r.Keyring = found.Keyring.Error()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if found.Err != nil {
		tokenErr = resolver.Explain(found.Err, key)
		r.TokenProblem = cli.OrNull(tokenErr.Error())
		return tokenErr, nil
	}
	r.TokenSource = cli.OrNull(string(found.Token.Source()))
	return nil, nil
}

func (r *statusReport) print(f *cli.Factory, profile config.Profile) error {
	service, token, agent := "built into hobnob, offline", "not needed", "chosen by the service"
	if r.BaseURL != nil {
		service = *r.BaseURL
		token = "none"
	}
	switch {
	case r.TokenSource != nil:
		token = credential.Source(*r.TokenSource).Describe()
	case r.TokenProblem != nil:
		token = "none (" + *r.TokenProblem + ")"
	}
	if r.Agent != nil {
		agent = *r.Agent
		if r.AgentID == nil {
			agent += " (no agent of this name)"
		} else if *r.AgentID != *r.Agent {
			agent += " (" + *r.AgentID + ")"
		}
	} else if profile.Embedded() {
		agent = "guide"
	}
	pairs := [][2]string{
		{"profile", fmt.Sprintf("%s (from %s)", r.Profile, r.ProfileSource)},
		{"service", service},
		{"agent", agent},
		{"token", token},
	}
	if r.BaseURL != nil {
		pairs = append(pairs, [2]string{"keyring", r.Keyring})
	}
	conversations := fmt.Sprintf("%d on this machine", r.Conversations)
	if r.HistoryProblem != nil {
		conversations = *r.HistoryProblem
	}
	return f.Print.Pairs(append(pairs,
		[2]string{"conversations", conversations},
		[2]string{"config", r.Config},
		[2]string{"data", r.Data},
		[2]string{"version", cli.Version()},
	))
}
