package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/login"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type loginOptions struct {
	f *cli.Factory

	login.Options
}

func newLoginCommand(f *cli.Factory) *cobra.Command {
	opts := loginOptions{f: f}
	cmd := &cobra.Command{
		Use:         "login",
		Annotations: map[string]string{createsConfig: "", exitCodes: requestExits},
		Short:       "Connect to a service and store your token",
		Long: `Connect to a service: store its address in a profile and your token in the system
keyring. On a terminal, login asks for missing information: the address, the
token, which is not shown, and for a new profile an agent and its alias. Each
answer is checked at once. Nothing is stored if you cancel, or if the service
rejects the token. The result shows whether the service accepted the token, or
whether it could not be verified.

With --issuer and --client-id, login gets the token from an OAuth 2.0 or OpenID
Connect issuer instead. It prints an address and a code; approve the login in a
browser on any device. From then on, hobnob renews the token automatically.

Without -p, login uses the selected profile, or "default" if there is none.
Without a keyring, --insecure-storage stores the token in a file that only you
can read. With HOBNOB_BASE_URL and HOBNOB_TOKEN, for example in CI, no login
is needed.`,
		Example: `  hobnob login
  hobnob login -p work --base-url https://chat.example.com
  hobnob login --base-url https://chat.example.com --with-token < token.txt
  hobnob login --base-url https://chat.example.com --issuer https://login.example.com --client-id hobnob`,
		GroupID: groupConnect,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Global.Replay != "" {
				return failure.Usagef("omit --replay and unset HOBNOB_REPLAY", "login cannot be used with --replay: it would store a token that was not verified")
			}
			if opts.Agent != "" && !config.IsUUID(opts.Agent) {
				return failure.WithHint(failure.Usagef("", "--agent %q is not a UUID", opts.Agent), "to set an alias, use --alias, or later: %s", failure.Run("hobnob agents add NAME UUID"))
			}
			if err := opts.checkIssuer(); err != nil {
				return err
			}
			if cmd.Flags().Changed("alias") {
				opts.Alias = strings.ToLower(opts.Alias)
				if err := config.CheckName(opts.Alias); err != nil {
					return failure.Usagef("choose another alias", "--alias: %v", err)
				}
			}
			return runLogin(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Agent, "agent", "", "default agent, a `UUID`")
	cmd.Flags().StringVar(&opts.Alias, "alias", "", "alias `name` for that agent")
	cmd.Flags().BoolVar(&opts.WithToken, "with-token", false, "read the token from standard input and skip optional questions")
	cmd.Flags().StringVar(&opts.Issuer, "issuer", "", "get the token from the OAuth issuer at this `URL`")
	cmd.Flags().StringVar(&opts.Request.ClientID, "client-id", "", "client `ID` that the issuer assigned to hobnob")
	cmd.Flags().StringSliceVar(&opts.Request.Scopes, "scope", nil, "`scope` to request (repeatable; default openid and offline_access, if supported)")
	cmd.Flags().StringVar(&opts.Request.Audience, "audience", "", "`audience` of the token, if the issuer requires one")
	cmd.Flags().BoolVar(&opts.InsecureStorage, "insecure-storage", false, "store the token in a file of mode 0600 instead of the keyring")
	return cmd
}

// checkIssuer checks the flags of a login at an issuer.
func (o *loginOptions) checkIssuer() error {
	// A scope contains no space, so several in one word are as they appear in documents.
	o.Request.Scopes = strings.Fields(strings.Join(o.Request.Scopes, " "))
	o.Request.ClientID = strings.TrimSpace(o.Request.ClientID)
	switch {
	case o.Issuer == "" && (o.Request.ClientID != "" || len(o.Request.Scopes) > 0 || o.Request.Audience != ""):
		return failure.Usagef("add --issuer URL", "--client-id, --scope and --audience need --issuer")
	case o.Issuer == "":
		return nil
	case o.WithToken:
		return failure.Usagef("omit --with-token: the issuer gives the token", "--issuer and --with-token cannot be used together")
	case o.Request.ClientID == "":
		return failure.Usagef("add --client-id ID; the operator of the issuer assigns it", "--issuer needs --client-id")
	}
	return nil
}

func runLogin(ctx context.Context, opts loginOptions) error {
	stored, err := login.Run(ctx, opts.f, opts.Options)
	if err != nil {
		return err
	}
	f, profile := opts.f, stored.Profile
	if f.Global.JSON {
		return f.Print.JSON(map[string]any{
			"profile": profile.Name, "base_url": profile.BaseURL, "token_source": string(stored.Source),
			"agent_id": cli.OrNull(stored.Agent), "alias": cli.OrNull(stored.Alias),
			"issuer": cli.OrNull(stored.Issuer), "expires": expires(stored.Expiry), "renewed": stored.Renewed,
			"verified": stored.Unverified == "", "unverified": cli.OrNull(stored.Unverified), "default": cli.OrNull(stored.Default),
		})
	}
	c, err := f.Config()
	if err != nil {
		return err
	}
	place := "the keyring"
	if stored.Source == credential.SourceFile {
		place = stored.File
	}
	flag, stays := "", ""
	if stored.Default != profile.Name {
		flag = " -p " + shell.Word(profile.Name)
		stays = "There is no default profile"
		if stored.Default != "" {
			stays = fmt.Sprintf("The default profile is still %q", stored.Default)
		}
		stays += "; to change it: hobnob profiles use " + shell.Word(profile.Name) + "\n"
	}
	agent, try := "", "hobnob chat"+flag
	_, missing := profile.AgentID(profile.Agent)
	switch {
	case stored.Alias != "":
		agent = fmt.Sprintf("The default agent is %s (%s)%s", stored.Alias, stored.Agent, unverifiedAgent)
		try += " -a " + stored.Alias
	case stored.Agent != "":
		agent = fmt.Sprintf("The default agent is %s%s", stored.Agent, unverifiedAgent)
	case missing != nil:
		// The name comes from HOBNOB_AGENT or the file. Without a UUID, every question
		// would fail.
		name := terminal.CleanLine(profile.Agent)
		agent = fmt.Sprintf("The default agent %s has no UUID; to add it: hobnob agents add %s UUID%s\n", name, shell.Word(name), flag)
	}
	address := terminal.CleanLine(profile.BaseURL)
	state := fmt.Sprintf("Logged in to %s as profile %q; the token is in %s.\nThe service accepted the token.\n", address, profile.Name, terminal.CleanLine(place))
	if stored.Unverified != "" {
		state = fmt.Sprintf("Saved profile %q for %s. The token is not verified: %s.\nThe token is in %s.\n", profile.Name, address, terminal.CleanLine(stored.Unverified), terminal.CleanLine(place))
	}
	if stored.Renewed {
		state += "hobnob renews the token automatically.\n"
	}
	return f.Print.Printf("%s%sThe settings are in %s.\n%sTry: %s \"hello\"\n", state, agent, terminal.CleanLine(c.Path()), stays, try)
}

// expires returns the JSON of the time when a token expires, null for zero.
func expires(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return cli.OrNull(t.UTC().Format(time.RFC3339))
}

// unverifiedAgent ends the line about an agent, whose existence only a question shows.
const unverifiedAgent = "; the first question will show whether it exists.\n"
