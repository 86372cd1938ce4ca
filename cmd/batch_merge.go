package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/batch"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

type batchMergeOptions struct {
	f *cli.Factory

	Outputs []string
	Output  string
	Input   string
	Lines   bool
	Force   bool
}

func newBatchMergeCommand(f *cli.Factory) *cobra.Command {
	opts := batchMergeOptions{f: f}
	cmd := &cobra.Command{
		Use:         "merge OUT…",
		Annotations: map[string]string{exitCodes: "10"},
		Short:       "Join the outputs of several batches",
		Long: `Join the outputs of several batches, such as those of all shards. Each id is in the
result once: an answered row is preferred to one with an unknown outcome, and that
to a failed one.

A missing shard, a row without an answer and a row that is answered twice are
reported, and the exit code is 10. With --input, the rows are in the order of the
input, and rows without a result are reported, too. With --json and -o, the report
is printed as JSON.`,
		Example: `  hobnob batch merge answers-*.jsonl -o answers.jsonl
  hobnob batch merge answers-*.jsonl -o answers.jsonl --input questions.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Outputs = args
			if err := opts.validate(cmd); err != nil {
				return err
			}
			return runBatchMerge(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.Output, "output", "o", "", "write the rows to this `file` instead of stdout")
	flags.StringVar(&opts.Input, "input", "", "check against the input `file`, and write the rows in its order")
	flags.BoolVar(&opts.Lines, "lines", false, "the input is plain text: each line is a prompt")
	flags.BoolVar(&opts.Force, "force", false, "replace an existing file")
	return cmd
}

func (o *batchMergeOptions) validate(cmd *cobra.Command) error {
	const see = "see: hobnob batch merge --help"
	if err := checkEmpty(cmd, "output", "input"); err != nil {
		return err
	}
	if o.Output == "-" {
		o.Output = ""
	}
	switch {
	case len(o.Outputs) == 0:
		return failure.Usagef("pass the output files: hobnob batch merge answers-*.jsonl", "OUT is missing")
	case o.Lines && o.Input == "":
		return failure.Usagef(see, "--lines needs --input")
	case o.Force && o.Output == "":
		return failure.Usagef(see, "--force needs --output")
	case o.f.Global.JSON && o.Output == "":
		return failure.Usagef("write the rows to a file: -o FILE", "--json needs --output")
	}
	return nil
}

func runBatchMerge(ctx context.Context, opts batchMergeOptions) error {
	f := opts.f
	var in *batch.Input
	if opts.Input != "" {
		var err error
		if in, err = batch.OpenInput(ctx, opts.Input, f.IO.In, opts.Lines); err != nil {
			return err
		}
		defer in.Close()
	}
	merge, err := batch.NewMerge(ctx, opts.Outputs, in)
	if err != nil {
		return err
	}
	defer merge.Close()
	var merged batch.Merged
	if opts.Output == "" {
		merged, err = merge.Write(ctx, f.IO.Out)
	} else {
		merged, err = merge.WriteFile(ctx, opts.Output, opts.Force)
	}
	if err != nil {
		return err
	}
	if f.Global.JSON {
		if err := f.Print.JSON(merged); err != nil {
			return err
		}
	} else {
		f.Print.Note("%s", merged.Stats())
	}
	return merged.Err()
}
