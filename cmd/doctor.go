package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type doctorOptions struct {
	f *Factory

	History bool
	Yes     bool
	DryRun  bool
}

func newDoctorCommand(f *Factory, run func(context.Context, doctorOptions) error) *cobra.Command {
	opts := doctorOptions{f: f}
	if run == nil {
		run = runDoctor
	}
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check the files of hobnob, and repair the history",
		Long: `Check that the configuration can be read, that no other user can open what is
private, and that the history is sound: one line each, with what to do. Nothing is
changed.

With --history the history alone is checked, and repaired. A search index that is
wrong is made anew. From a damaged file every row that can be read goes into a new
one, which takes its place after you agreed; the damaged file is kept beside it, as
it was. The exit code is 1 when a problem is left.`,
		Example: "  hobnob doctor\n  hobnob doctor --history --dry-run\n  hobnob doctor --history --yes",
		GroupID: groupMore,
		Args:    exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !opts.History && (opts.Yes || opts.DryRun) {
				return usagef("add --history", "--yes and --dry-run are for the repair of the history")
			}
			return run(cmd.Context(), opts)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&opts.History, "history", false, "check the history alone, and repair it")
	flags.BoolVarP(&opts.Yes, "yes", "y", false, "put a recovered history in place without asking")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "say what could be recovered, and change nothing")
	return command
}

// finding is what one check found; its JSON form is stable.
type finding struct {
	Check  string  `json:"check"`
	OK     bool    `json:"ok"`
	Detail string  `json:"detail"`
	Fix    *string `json:"fix"` // null when there is nothing to do
}

// repairReport is what a recovery found; its JSON form is stable.
type repairReport struct {
	Conversations     int     `json:"conversations"`
	Turns             int     `json:"turns"`
	Mended            int     `json:"mended"`
	LostConversations int     `json:"lost_conversations"`
	LostTurns         int     `json:"lost_turns"`
	LostIsExact       bool    `json:"lost_is_exact"`
	Installed         bool    `json:"installed"`
	Kept              *string `json:"kept"` // where the damaged history is
}

func runDoctor(ctx context.Context, opts doctorOptions) error {
	f := opts.f
	paths, err := f.Paths()
	if err != nil {
		return err
	}
	var findings []finding
	if !opts.History {
		findings = append(findings, checkConfig(f, paths.ConfigFile))
		findings = append(findings, checkPermissions(paths.ConfigFile, paths.DataDir)...)
	}
	health, err := history.Check(ctx, paths.DataDir)
	if err != nil {
		return err
	}
	found := describeHealth(health)
	broken := len(health.Damage) > 0
	if opts.History && !opts.DryRun && !broken && len(health.Index) > 0 {
		switch err := rebuildIndex(ctx, paths.DataDir); {
		case errors.Is(err, sqlite.ErrDamaged):
			broken = true
		case err != nil:
			return err
		default:
			found = finding{Check: "history", OK: true, Detail: "the search index was wrong and is made anew"}
		}
	}
	var repair *repairReport
	if opts.History && broken {
		if repair, err = recoverHistory(ctx, opts, paths.DataDir, &found); err != nil {
			return err
		}
	}
	return opts.report(append(findings, found), repair)
}

// rebuildIndex closes the history again, which a recovery after it must not find open.
func rebuildIndex(ctx context.Context, dir string) error {
	store, err := history.Open(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(store.RebuildIndex(ctx), store.Close())
}

// recoverHistory recovers a damaged history and, when the user agrees, puts it in place.
func recoverHistory(ctx context.Context, opts doctorOptions, dir string, found *finding) (*repairReport, error) {
	f := opts.f
	stop := f.IO.Wait("reading the damaged history")
	recovery, err := history.Recover(ctx, dir)
	stop()
	if err != nil {
		return nil, err
	}
	defer func() { _ = recovery.Close() }()
	r := recovery.Recovered
	report := &repairReport{
		Conversations: r.Conversations, Turns: r.Turns, Mended: r.Mended,
		LostConversations: r.LostConversations, LostTurns: r.LostTurns, LostIsExact: r.Exact,
	}
	what := describeRecovered(r)
	found.Detail += "; can be recovered: " + what
	if opts.DryRun {
		return report, nil
	}
	if !opts.Yes {
		f.note("the history is damaged; can be recovered: %s", what)
		yes, err := f.IO.Confirm(ctx, "Put the recovered history in place, and keep the damaged one beside it?")
		if errors.Is(err, terminal.ErrNoTerminal) {
			return nil, usagef("add --yes, or look first with --dry-run", "there is nobody to ask whether the recovered history (%s) may take the place of the damaged one", what)
		}
		if err != nil || !yes {
			return report, err
		}
	}
	kept, err := recovery.Install()
	if err != nil {
		return nil, err
	}
	report.Installed, report.Kept = true, &kept
	*found = finding{Check: "history", OK: true, Detail: "recovered: " + what + "; the damaged file is kept as " + kept}
	return report, nil
}

func describeRecovered(r history.Recovered) string {
	what := fmt.Sprintf("%s with %s", count(r.Conversations, "conversation"), count(r.Turns, "turn"))
	if r.Mended > 0 {
		what += fmt.Sprintf(", %d of them mended", r.Mended)
	}
	least := "lost: "
	if !r.Exact {
		least = "lost: at least "
	}
	if r.LostConversations+r.LostTurns > 0 || !r.Exact {
		what += fmt.Sprintf("; %s%s and %s", least, count(r.LostConversations, "conversation"), count(r.LostTurns, "turn"))
	}
	return what
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func describeHealth(h history.Health) finding {
	switch {
	case h.Missing:
		return finding{Check: "history", OK: true, Detail: "there is none yet"}
	case h.Newer:
		return problem("history", "update hobnob", "%s was written by a newer hobnob", h.Path)
	case len(h.Damage) > 0:
		return problem("history", "hobnob doctor --history", "%s is damaged: %s", h.Path, strings.Join(h.Damage, "; "))
	case len(h.Index) > 0:
		return problem("history", "hobnob doctor --history", "the search index is wrong: %s", strings.Join(h.Index, "; "))
	}
	return finding{Check: "history", OK: true, Detail: fmt.Sprintf("%s, %s, sound", count(h.Conversations, "conversation"), count(h.Turns, "turn"))}
}

func problem(check, fix, format string, args ...any) finding {
	return finding{Check: check, Detail: fmt.Sprintf(format, args...), Fix: &fix}
}

func checkConfig(f *Factory, path string) finding {
	c, err := f.Config()
	if err == nil {
		_, err = c.ActiveProfile()
	}
	if err != nil {
		told := explain(err)
		return problem("config", told.Hint, "%s", told.Message)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return finding{Check: "config", OK: true, Detail: "there is no file; everything has its default"}
	}
	return finding{Check: "config", OK: true, Detail: path}
}

// checkPermissions looks at what must be closed to other users: all that is
// written in conversations, tokens, and writing to the settings, which name
// commands that are run. Windows keeps the home of a user closed by itself.
func checkPermissions(config, data string) []finding {
	if runtime.GOOS == "windows" {
		return nil
	}
	database := filepath.Join(data, history.FileName)
	const others, writing = 0o077, 0o022
	var findings []finding
	for _, p := range []struct {
		check, path string
		closed      fs.FileMode
	}{
		{"config directory", filepath.Dir(config), writing},
		{"config file", config, writing},
		{"token file", filepath.Join(filepath.Dir(config), "tokens.json"), others},
		{"data directory", data, others},
		{"history file", database, others},
		{"history log", database + "-wal", others},
	} {
		info, err := os.Stat(p.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			findings = append(findings, problem(p.check, "look at the permissions of the directories above it", "%v", err))
		case info.Mode().Perm()&p.closed != 0:
			letters := "rwx"
			if p.closed == writing {
				letters = "w"
			}
			findings = append(findings, problem(p.check, "chmod go-"+letters+" "+quoted(p.path), "other users can open %s (mode %04o)", p.path, info.Mode().Perm()))
		default:
			findings = append(findings, finding{Check: p.check, OK: true, Detail: "closed to other users"})
		}
	}
	return findings
}

// quoted is a path as a shell reads it.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

func (opts doctorOptions) report(findings []finding, repair *repairReport) error {
	f := opts.f
	bad := 0
	var cells [][]string
	for _, found := range findings {
		state, fix := "ok", ""
		if !found.OK {
			state, bad = "problem", bad+1
		}
		if found.Fix != nil {
			fix = "; fix: " + *found.Fix
		}
		cells = append(cells, []string{state, found.Check, found.Detail + fix})
	}
	var err error
	if f.Global.JSON {
		err = f.printJSON(struct {
			Checks []finding     `json:"checks"`
			Repair *repairReport `json:"repair"`
		}{findings, repair})
	} else {
		for _, c := range cells {
			if err = f.printf("%-7s  %-16s  %s\n", c[0], c[1], terminal.CleanLine(c[2])); err != nil {
				break
			}
		}
	}
	if err == nil && bad > 0 {
		err = fmt.Errorf("%s found", count(bad, "problem"))
	}
	return err
}
