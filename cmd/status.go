package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/view"
)

type statusOptions struct{ f *cli.Factory }

func newStatusCommand(f *cli.Factory) *cobra.Command {
	opts := statusOptions{f: f}
	return &cobra.Command{
		Use:         "status",
		Annotations: map[string]string{exitCodes: "3 4"},
		Short:       "Show the selected service, agent and token source",
		Long: `Show the selected profile, its service, agent and token source, the project
file of the working directory, and the paths of hobnob's files. The token itself is not shown, and nothing is sent. The
exit code is 4 if the profile has no token.`,
		Example: "  hobnob status\n  hobnob status -p work --json",
		GroupID: groupConnect,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runStatus(cmd.Context(), opts) },
	}
}

// statusReport is the output of status. Its JSON form is stable.
type statusReport struct {
	Profile       string  `json:"profile"`
	ProfileSource string  `json:"profile_source"`
	BaseURL       *string `json:"base_url"` // null for the built-in service
	Agent         *string `json:"agent"`
	AgentID       *string `json:"agent_id"`
	TokenSource   *string `json:"token_source"` // null without a token, or if none is needed
	TokenProblem  *string `json:"token_problem"`
	Issuer        *string `json:"issuer"`        // null for a token without an OAuth issuer
	TokenExpires  *string `json:"token_expires"` // null if unknown
	Keyring       string  `json:"keyring"`
	// Project is the project file of the working directory, or null.
	Project       *view.ProjectInfo `json:"project"`
	Conversations int               `json:"conversations"`
	// OtherProfiles are the other profiles in the history.
	OtherProfiles []history.ProfileCount `json:"other_profiles"`
	// HistoryProblem is the reason why the history cannot be read, or null.
	HistoryProblem *string `json:"history_problem"`
	Config         string  `json:"config"`
	Data           string  `json:"data"`
	History        string  `json:"history"`
	State          string  `json:"state"`
	// Record and Replay are the files of --record and --replay, or null.
	Record *string `json:"record"`
	Replay *string `json:"replay"`

	found credential.Token
}

func runStatus(ctx context.Context, opts statusOptions) error {
	f := opts.f
	c, err := f.Config()
	if err != nil {
		return err
	}
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	name := profile.Name
	_, source, _ := c.Active() // an error means that a replay supplies the profile
	paths, err := f.Paths()
	if err != nil {
		return err
	}
	found, err := f.Project()
	if err != nil {
		return err
	}
	report := statusReport{
		Profile: name, ProfileSource: source.String(), BaseURL: cli.OrNull(profile.BaseURL), Agent: cli.OrNull(profile.Agent),
		Keyring: "not checked", Project: view.DescribeProject(found), Config: paths.ConfigFile, Data: paths.DataDir,
		History: filepath.Join(paths.DataDir, history.FileName), State: paths.StateDir,
		Record: cli.OrNull(f.Global.Record), Replay: cli.OrNull(f.Global.Replay),
	}
	if id, err := profile.AgentID(profile.Agent); err == nil {
		report.AgentID = cli.OrNull(id)
	}
	var tokenErr error
	if !profile.Embedded() && f.Global.Replay == "" {
		if tokenErr, err = report.token(ctx, f, profile); err != nil {
			return err
		}
	}
	store, historyErr := f.ReadHistory(ctx)
	if historyErr == nil {
		historyErr = report.count(ctx, store)
	}
	if historyErr != nil {
		report.HistoryProblem = cli.OrNull(historyErr.Error())
	}
	if f.Global.JSON {
		err = f.Print.JSON(report)
	} else {
		err = report.print(f, profile, source)
	}
	if err != nil {
		return err
	}
	return errors.Join(tokenErr, historyErr, found.Err)
}

// count sets the numbers of conversations.
func (r *statusReport) count(ctx context.Context, store *history.Store) error {
	counts, err := store.Profiles(ctx)
	r.OtherProfiles = []history.ProfileCount{}
	for _, c := range counts {
		if c.Profile == r.Profile {
			r.Conversations = c.Conversations
		} else {
			r.OtherProfiles = append(r.OtherProfiles, c)
		}
	}
	return err
}

// token sets the source of the token and the state of the keyring. tokenErr is part of
// the report.
func (r *statusReport) token(ctx context.Context, f *cli.Factory, profile config.Profile) (tokenErr, err error) {
	resolver, key, err := f.Tokens(profile)
	if err != nil {
		return nil, err
	}
	found := resolver.Probe(ctx, key)
	r.Keyring = "works"
	if found.Keyring != nil {
		r.Keyring = found.Keyring.Error()
		var failed *credential.KeyringError
		if errors.As(found.Keyring, &failed) {
			r.Keyring = failed.Cause()
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if found.Err != nil {
		tokenErr = resolver.Explain(found.Err, key)
		r.TokenProblem = cli.OrNull(tokenErr.Error())
		return tokenErr, nil
	}
	r.found = found.Token
	r.TokenSource = cli.OrNull(string(found.Token.Source()))
	r.Issuer, r.TokenExpires = cli.OrNull(found.Token.Issuer()), expires(found.Token.Expiry())
	return nil, nil
}

func (r *statusReport) print(f *cli.Factory, profile config.Profile, source config.Source) error {
	service, token, agent := "built into hobnob, offline", "not needed", "chosen by the service"
	if r.BaseURL != nil {
		service = *r.BaseURL
		token = "none"
	}
	switch {
	case r.Replay != nil:
		service, token = "answers from "+*r.Replay, "not needed"
	case r.TokenSource != nil:
		token = r.found.Describe(time.Now())
	case r.TokenProblem != nil:
		token = "none (" + *r.TokenProblem + ")"
	}
	if r.Agent != nil {
		agent = *r.Agent
		if r.AgentID == nil {
			agent += " (unknown agent)"
		} else if *r.AgentID != *r.Agent {
			agent += " (" + *r.AgentID + ")"
		}
	} else if profile.Embedded() {
		agent = "guide"
	}
	pairs := [][2]string{
		{"profile", r.Profile + " " + source.Note()},
		{"service", service},
		{"agent", agent},
		{"token", token},
	}
	if r.Project != nil {
		pairs = append(pairs, [2]string{"project", r.Project.String()})
	}
	if r.Record != nil {
		pairs = append(pairs, [2]string{"record", *r.Record})
	}
	if r.BaseURL != nil {
		pairs = append(pairs, [2]string{"keyring", r.Keyring})
	}
	conversations := fmt.Sprintf("%d on this machine", r.Conversations)
	if elsewhere := history.Elsewhere(r.OtherProfiles, r.Profile); elsewhere != "" {
		conversations = fmt.Sprintf("%d in profile %s; %s", r.Conversations, r.Profile, elsewhere)
	}
	if r.HistoryProblem != nil {
		conversations = *r.HistoryProblem
	}
	return f.Print.Pairs(append(pairs,
		[2]string{"conversations", conversations},
		[2]string{"config", r.Config},
		[2]string{"data", r.Data},
		[2]string{"history", r.History},
		[2]string{"state", r.State},
		[2]string{"version", cli.Version()},
	))
}
