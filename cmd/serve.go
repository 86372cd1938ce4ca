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
		Use:   "serve",
		Short: "Run the embedded service on a port of this machine",
		Long: `Run the embedded Agent Chat Service on a port of this machine, with its agents
guide and echo, to try clients and scripts against. It ends with Ctrl-C.

Clients need a bearer token: the one in HOBNOB_SERVE_TOKEN, or else one that is
made now and printed once. The address must be a loopback address, because there
is no TLS.`,
		Example: `  hobnob serve
  HOBNOB_SERVE_TOKEN=secret hobnob serve --addr 127.0.0.1:9090`,
		GroupID: groupMore,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), opts) },
	}
	cmd.Flags().StringVar(&opts.Addr, "addr", "127.0.0.1:8080", "loopback `address` and port; port 0 takes a free one")
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
	made := token == ""
	if made {
		token = service.NewToken()
	} else if err := credential.Validate(token); err != nil {
		return failure.Usagef("use visible characters without spaces", "HOBNOB_SERVE_TOKEN is %v", err)
	}
	handler, err := f.Service(ctx, service.Options{Client: "serve", Token: token}, false)
	if err != nil {
		return err
	}
	if err := announce(f, "http://"+listener.Addr().String(), token, made); err != nil {
		return err
	}
	if err := service.Serve(ctx, listener, handler); err != nil {
		return fmt.Errorf("the service ended: %w", err)
	}
	f.Print.Note("stopped")
	return nil
}

// announce prints what a client needs. A token that was given is not repeated.
func announce(f *cli.Factory, url, token string, made bool) error {
	if f.Global.JSON {
		out := map[string]any{"base_url": url, "agents": agent.BuiltinIDs()}
		if made {
			out["token"] = token
		}
		return f.Print.JSON(out)
	}
	if !made {
		token = "(the value of HOBNOB_SERVE_TOKEN)"
	}
	text := fmt.Sprintf("base URL  %s\ntoken     %s\n", url, token)
	for _, b := range agent.Builtins() {
		text += fmt.Sprintf("%-9s %s\n", b.Name, b.ID)
	}
	return f.Print.Printf("%s", terminal.Clean(text))
}
