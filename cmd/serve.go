package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type serveOptions struct {
	f *cli.Factory

	Addr string
}

func newServeCommand(f *cli.Factory) *cobra.Command {
	opts := serveOptions{f: f}
	cmd := &cobra.Command{
		Use:         "serve",
		Annotations: map[string]string{exitCodes: ""},
		Short:       "Run the built-in service on a local port",
		Long: `Run the built-in Agent Chat Service on a local port, to test clients and
scripts. It has the agents guide and echo. To stop it, press Ctrl-C.

Clients need a bearer token. Set HOBNOB_SERVE_TOKEN to a token of at least 16
characters. Otherwise hobnob creates a random token and prints it once. The
address must be a loopback address, because the service does not use TLS.
Requests that web pages send through a browser are rejected.`,
		Example: `  hobnob serve
  HOBNOB_SERVE_TOKEN="$(cat serve-token.txt)" hobnob serve --addr 127.0.0.1:9090`,
		GroupID: groupMore,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), opts) },
	}
	cmd.Flags().StringVar(&opts.Addr, "addr", "127.0.0.1:8080", "loopback `address` and port; port 0 selects a free one")
	return cmd
}

func runServe(ctx context.Context, opts serveOptions) error {
	f := opts.f
	listener, err := service.ListenLoopback(ctx, opts.Addr)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	token := credential.Trim(f.Env("HOBNOB_SERVE_TOKEN"))
	random := token == ""
	if random {
		token = service.NewToken()
	} else if err := credential.Validate(token); err != nil {
		return failure.Usagef("use visible ASCII characters without spaces", "HOBNOB_SERVE_TOKEN: %v", err)
	} else if err := service.CheckToken(token); err != nil {
		return failure.Usagef("unset it to get a random token, or set a long one: openssl rand -hex 32", "HOBNOB_SERVE_TOKEN is %v", err)
	}
	handler, err := f.Service(ctx, service.Options{Client: "serve", Token: token}, false)
	if err != nil {
		return err
	}
	if err := announce(f, "http://"+listener.Addr().String(), token, random); err != nil {
		return err
	}
	if err := service.Serve(ctx, listener, handler); err != nil {
		return fmt.Errorf("the service failed: %w", err)
	}
	f.Print.Note("stopped")
	return nil
}

// servedJSON is the output of serve --json.
type servedJSON struct {
	Agents  map[string]string `json:"agents"` // name → UUID
	BaseURL string            `json:"base_url"`
	Token   string            `json:"token,omitempty"` // only a random one
}

// announce prints the address, the token and the agents. It prints the token only if
// it is random.
func announce(f *cli.Factory, url, token string, random bool) error {
	if f.Global.JSON {
		out := servedJSON{BaseURL: url, Agents: agent.BuiltinIDs()}
		if random {
			out.Token = token
		}
		return f.Print.JSON(out)
	}
	if !random {
		token = "(the value of HOBNOB_SERVE_TOKEN)"
	}
	text := fmt.Sprintf("base URL  %s\ntoken     %s\n", url, token)
	for _, b := range agent.Builtins() {
		text += fmt.Sprintf("%-9s %s\n", b.Name, b.ID)
	}
	return f.Print.Printf("%s", terminal.Clean(text))
}
