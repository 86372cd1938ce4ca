package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/batch"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/prompt"
	"github.com/hobnob-cli/hobnob/internal/schema"
	"github.com/hobnob-cli/hobnob/internal/secrets"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

type batchOptions struct {
	f *cli.Factory

	File          string
	Output        string
	Lines         bool
	Resume        bool
	ResendUnknown bool
	Ordered       bool
	Concurrency   int
	Rate          string
	FailFast      bool
	Shard         string
	Save          bool
	AllowSecrets  bool
	DryRun        bool
	Agent         string
	Template      string
	Vars          []string         // name=value
	Contract      *schema.Contract // of --schema, or nil
	Instructions  *string          // nil for those of the agent
}

const (
	defaultConcurrency = 8
	maxConcurrency     = 1024
)

func newBatchCommand(f *cli.Factory) *cobra.Command {
	opts := batchOptions{f: f}
	var loadSchema func() (*schema.Contract, error)
	var loadInstructions func() (*string, error)
	cmd := &cobra.Command{
		Use:         "batch [FILE]",
		Annotations: map[string]string{exitCodes: "3 4 5 9 10"},
		Short:       "Ask many questions from a file",
		Long: `Read rows of JSON, ask their questions concurrently, and write one row of JSON
for each. The input is a file, or standard input, which is also named -.

  {"id": "one", "prompt": "why is the sky blue?"}
  {"id": "two", "messages": [{"role": "user", "content": "and the sea?"}]}

A row may also have an agent, a template and vars. With --lines, each line is a
prompt, and its number is the id.

An answered row has id and reply, a failed one id and error, and a malformed one
line and error; neither stops the others. For all fields: hobnob help formatting

With -o, a stopped batch can be continued: --resume skips answered rows, sends
failed ones again, and sends no row twice. It compares only ids: give a changed row
a new id. A row that was in flight when hobnob was killed has an unknown outcome;
only --resend-unknown sends it again. Ctrl-C stops sending rows and waits for those
in flight; a second one cancels them.`,
		Example: `  hobnob batch questions.jsonl -o answers.jsonl
  hobnob batch questions.jsonl -o answers.jsonl --resume
  hobnob batch --lines -t explain < words.txt
  hobnob batch big.jsonl --shard 3/8 -o answers-3.jsonl
  hobnob batch questions.jsonl --schema city.schema.json --jq '.data // empty'
  jq -r 'select(.reply) | .reply' answers.jsonl`,
		GroupID: groupAsk,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.File = "-"
			if len(args) > 0 {
				opts.File = args[0]
			}
			if err := checkEmpty(cmd, "output", "template", "shard", "rate"); err != nil {
				return err
			}
			if err := opts.validate(len(args) > 0); err != nil {
				return err
			}
			var err error
			if opts.Contract, err = loadSchema(); err != nil {
				return err
			}
			if opts.Instructions, err = loadInstructions(); err != nil {
				return err
			}
			return runBatch(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.Output, "output", "o", "", "write the results to this `file`, which also makes the batch resumable")
	flags.BoolVar(&opts.Lines, "lines", false, "read plain text: each line is a prompt")
	flags.BoolVar(&opts.Resume, "resume", false, "continue the batch in the output file: skip rows that are answered or have an unknown outcome")
	flags.BoolVar(&opts.ResendUnknown, "resend-unknown", false, "with --resume, also send rows with an unknown outcome again")
	flags.BoolVar(&opts.Ordered, "ordered", false, "write the results in the order of the input")
	flags.IntVar(&opts.Concurrency, "concurrency", defaultConcurrency, "maximum `number` of requests in flight; adapts to the service")
	flags.StringVar(&opts.Rate, "rate", "", "send at most this `number` of requests, such as 10/s, 600/m or 1000/h")
	flags.BoolVar(&opts.FailFast, "fail-fast", false, "stop sending rows after the first failure")
	flags.StringVar(&opts.Shard, "shard", "", "send only this `part` of the rows, such as 3/8; it depends only on the id of a row")
	flags.BoolVar(&opts.Save, "save", false, "also record the rows in the history")
	flags.BoolVar(&opts.AllowSecrets, "allow-secrets", false, "send rows even if they seem to contain a secret")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "check the input and estimate its tokens; send and write nothing")
	flags.StringVarP(&opts.Agent, "agent", "a", "", "ask this agent: an alias `name` or a UUID")
	flags.StringVarP(&opts.Template, "template", "t", "", "use the template with this `name` for each prompt")
	flags.StringArrayVar(&opts.Vars, "var", nil, "set a variable of the template: `name=value` (repeatable)")
	loadSchema = addSchemaFlags(cmd)
	loadInstructions = addInstructionFlags(cmd, f, "standing instructions of each row")
	flags.Int("retries", 2, "number of retries of a row that the service did not accept, up to 10")
	_ = cmd.RegisterFlagCompletionFunc("agent", complete{f}.agents)
	_ = cmd.RegisterFlagCompletionFunc("template", complete{f}.templates)
	_ = cmd.RegisterFlagCompletionFunc("var", complete{f}.variables)
	cmd.AddCommand(newBatchMergeCommand(f))
	return cmd
}

func (o batchOptions) validate(named bool) error {
	const see = "see: hobnob batch --help"
	switch {
	case !named && o.f.IO.InTTY:
		return failure.Usagef("pass a file of rows, or - to type them: hobnob batch questions.jsonl", "FILE is missing")
	case o.Resume && (o.Output == "" || o.Output == "-"):
		return failure.Usagef("pass the output file of the earlier run: -o FILE", "--resume needs --output")
	case o.Resume && o.DryRun:
		return failure.Usagef("to check the whole input, omit --resume", "--dry-run and --resume cannot be used together")
	case o.f.Print.Filter != nil && o.Output != "" && o.Output != "-":
		return failure.Usagef("omit -o, or filter the file afterwards", "--jq and --output cannot be used together: the output file is the journal of the batch")
	case o.ResendUnknown && !o.Resume:
		return failure.Usagef(see, "--resend-unknown needs --resume")
	case o.Concurrency < 1 || o.Concurrency > maxConcurrency:
		return failure.Usagef(see, "invalid value \"%d\" for --concurrency: must be from 1 to %d", o.Concurrency, maxConcurrency)
	case len(o.Vars) > 0 && o.Template == "":
		return failure.Usagef("to list the templates: hobnob templates list", "--var needs --template")
	}
	return nil
}

func runBatch(ctx context.Context, opts batchOptions) error {
	f := opts.f
	profile, err := f.ProjectProfile()
	if err != nil {
		return err
	}
	b := batch.Batch{
		Resume:  batch.Resume{On: opts.Resume, Unknown: opts.ResendUnknown},
		Ordered: opts.Ordered, Pace: batch.Pace{Concurrency: opts.Concurrency},
		Retries: profile.Retries, FailFast: opts.FailFast, Print: f.Print,
	}
	if opts.Output != "-" {
		b.Output = opts.Output
	}
	if b.Output != "" {
		b.Again = opts.again()
	}
	if opts.Shard != "" {
		if b.Shard, err = batch.ParseShard(opts.Shard); err != nil {
			return err
		}
	}
	if b.Pace.Rate, err = batch.ParseRate(opts.Rate); err != nil {
		return err
	}
	if b.Questions, err = opts.questions(profile); err != nil {
		return err
	}
	if b.Input, err = batch.OpenInput(ctx, opts.File, f.IO.In, opts.Lines); err != nil {
		return err
	}
	defer b.Input.Close()
	b.Guard = secrets.NewGuard(f, profile, opts.AllowSecrets)
	if opts.DryRun {
		return opts.estimate(ctx, batch.Estimator{Input: b.Input, Shard: b.Shard, Questions: b.Questions, Guard: b.Guard.WithoutToken(), Asker: chat.Asker{Profile: profile.Name}})
	}
	profile.Retries = 0 // the batch retries
	if b.Client, err = f.Client(ctx, profile, !opts.Save); err != nil {
		return err
	}
	if opts.Save {
		if b.Save, err = opts.asker(ctx, profile); err != nil {
			return err
		}
	}
	return b.Run(ctx)
}

func (o batchOptions) estimate(ctx context.Context, estimator batch.Estimator) error {
	var err error
	if estimator.Asker.History, err = o.f.ReadHistory(ctx); err != nil {
		return err
	}
	estimate, err := estimator.Run(ctx)
	if err != nil {
		return err
	}
	if err := estimate.Print(o.f.Print); err != nil {
		return err
	}
	return estimate.Err()
}

func (o batchOptions) questions(profile config.Profile) (*batch.Questions, error) {
	library, err := o.f.Templates()
	if err != nil {
		return nil, err
	}
	vars, err := prompt.ParseVariables(o.Vars)
	if err != nil {
		return nil, err
	}
	return batch.NewQuestions(profile, library, batch.Defaults{
		Agent: o.Agent, Template: o.Template, Vars: vars, Contract: o.Contract,
		Instructions: func(agent string) history.Instructions {
			return ask.InstructionsFor(profile, agent, o.Instructions)
		},
	})
}

// asker returns the asker that records rows in the history.
func (o batchOptions) asker(ctx context.Context, profile config.Profile) (*chat.Asker, error) {
	store, err := o.f.History(ctx)
	if err == nil {
		err = store.Writable()
	}
	if err != nil {
		return nil, &chat.JournalError{Err: err}
	}
	asker := ask.New(o.f, profile, store, ask.Options{}).Chat
	return &asker, nil
}

// again returns how to continue the batch: its command line with --resume. It does not
// repeat values of variables, which may be secret.
func (o batchOptions) again() string {
	if len(o.Vars) > 0 || slices.Contains(o.f.Args, "--") {
		return "run the same command with --resume"
	}
	words := []string{"hobnob"}
	for _, arg := range o.f.Args {
		if arg != "--resend-unknown" { // resending is a decision of the user, each time
			words = append(words, shell.Word(arg))
		}
	}
	if !o.Resume {
		words = append(words, "--resume")
	}
	return strings.Join(words, " ")
}
