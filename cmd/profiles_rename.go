package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/repl"
)

func newProfilesRenameCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "rename NAME NEW-NAME",
		Short: "Rename a profile",
		Long: `Rename a profile, along with its settings, stored token, conversations and
chat input history.`,
		Example:           "  hobnob profiles rename default work",
		ValidArgsFunction: complete{f}.first(complete{f}.profiles),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProfilesRename(cmd.Context(), f, args[0], strings.ToLower(args[1]))
		},
	}
}

func runProfilesRename(ctx context.Context, f *cli.Factory, old, name string) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	if old, err = c.Known(old); err != nil {
		return err
	}
	if err := config.CheckName(name); err != nil {
		return failure.Usagef("choose another name", "%v", err)
	}
	_, taken := c.Known(name)
	switch {
	case old == config.Local:
		return failure.Usagef("", "profile %q is the built-in service and cannot be renamed", old)
	case taken == nil:
		return failure.Usagef("choose another name, or delete that profile first", "profile %q already exists", name)
	}
	profile := config.Stored(c, old)
	tokens, key, tokensErr := f.Tokens(profile) // fails without an address, and then there is no token
	renamed := credential.Key{Profile: name, Origin: key.Origin}
	var copied credential.Source
	if tokensErr == nil {
		if copied, err = tokens.Copy(ctx, key, renamed); err != nil {
			return err
		}
	}
	moved, err := renameInHistory(ctx, f, old, name, func() error { return renameInFile(f, c, old, name) })
	if err != nil {
		if copied != "" {
			_, derr := tokens.Delete(ctx, renamed)
			err = errors.Join(err, derr)
		}
		return err
	}
	if copied != "" {
		if _, err := tokens.Delete(ctx, key); err != nil && !credential.IsAbsent(err) {
			f.Print.Warn("the token of profile %q may still be stored: %v", old, err)
		}
	}
	if paths, err := f.Paths(); err == nil {
		inputs := repl.InputFile(paths.StateDir, name)
		if _, err := os.Lstat(inputs); errors.Is(err, fs.ErrNotExist) {
			_ = os.Rename(repl.InputFile(paths.StateDir, old), inputs) // losing the input history is acceptable
		}
	}
	if strings.EqualFold(f.Env("HOBNOB_PROFILE"), old) {
		f.Print.Warn("HOBNOB_PROFILE is still set to %q", old)
	}
	return f.Print.Done("renamed profile %q to %q, with %s", old, name, plural.Count(moved, "conversation"))
}

// renameInHistory changes the profile of its conversations, including those in the
// trash, and calls then. If then fails, it changes them back.
func renameInHistory(ctx context.Context, f *cli.Factory, old, name string, then func() error) (moved int, err error) {
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return 0, err
	}
	conversations, err := store.All(ctx, old, true)
	if err != nil {
		return 0, err
	}
	if len(conversations) == 0 {
		return 0, then()
	}
	if store, err = f.History(ctx); err != nil {
		return 0, err
	}
	ids := make([]string, len(conversations))
	for i, conversation := range conversations {
		ids[i] = conversation.ID
	}
	if err := store.SetProfile(ctx, name, ids...); err != nil {
		return 0, err
	}
	if err := then(); err != nil {
		return 0, errors.Join(err, store.SetProfile(context.WithoutCancel(ctx), old, ids...))
	}
	return len(ids), nil
}

// renameInFile renames the profile in the configuration file, including the setting of
// the default profile.
func renameInFile(f *cli.Factory, c *config.Config, old, name string) error {
	return f.EditConfig(func(d *config.Document) error {
		found, err := d.Rename(name, "profiles", old)
		if err == nil && !found {
			err = &config.UnknownProfileError{Name: old, Source: config.Source{Kind: "argument"}, Known: c.Profiles()}
		}
		if err != nil || !isDefaultInFile(c, old) {
			return err
		}
		return d.Set(name, config.ProfileKey)
	})
}
