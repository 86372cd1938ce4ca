package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/codeblock"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/transfer"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// lastReply is the reply that /copy and /save mean.
func (i *interactive) lastReply() (string, error) {
	if i.reply == "" {
		return "", failure.Usagef("ask something first", "there is no reply yet")
	}
	return i.reply, nil
}

func (i *interactive) copyReply(ctx context.Context, what string) error {
	text, err := i.lastReply()
	if err != nil {
		return err
	}
	if what != "" {
		word, language, _ := strings.Cut(what, " ")
		if word != "code" {
			return failure.Usagef("usage: /copy [code [LANGUAGE]]", "/copy cannot copy %q", what)
		}
		if text, err = block(text, strings.TrimSpace(language)); err != nil {
			return err
		}
	}
	how, err := i.f.IO.Copy(ctx, text)
	if err != nil {
		return err
	}
	if how == terminal.OSC52 {
		i.f.Print.Note("the terminal was asked to copy it (OSC 52); it does not say whether it did")
		return nil
	}
	i.f.Print.Note("copied (%s)", how)
	return nil
}

func (i *interactive) completeCopy(argument string) []lineedit.Candidate {
	if i.reply == "" {
		return nil
	}
	if !strings.HasPrefix(argument, "code ") {
		return []lineedit.Candidate{{Value: "code", Description: "the first block of code"}}
	}
	_, _, languages := codeblock.Find(i.reply, "")
	var out []lineedit.Candidate
	for _, language := range languages {
		if language != "" && language == terminal.CleanLine(language) {
			out = append(out, lineedit.Candidate{Value: "code " + language})
		}
	}
	return out
}

func (i *interactive) saveReply(ctx context.Context, name string) error {
	text, err := i.lastReply()
	if err != nil {
		return err
	}
	path, err := i.path(name)
	if err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return failure.Usagef("name a file in it", "%s is a directory", path)
		}
		yes, err := i.f.IO.Confirm(ctx, fmt.Sprintf("%s exists. Replace it?", path))
		if err != nil || !yes {
			i.f.Print.Note("nothing was written")
			return err
		}
		flags = os.O_WRONLY | os.O_TRUNC // which keeps its permissions
	}
	file, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, strings.TrimRight(text, "\n")+"\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	i.f.Print.Note("wrote the reply to %s", path)
	return nil
}

func (i *interactive) export(ctx context.Context, name string) error {
	c, err := i.current(ctx)
	if err != nil {
		return err
	}
	path, err := i.path(name)
	if err != nil {
		return err
	}
	if extension := filepath.Ext(path); extension != "" && !slices.Contains(transfer.ExportNames(), extension[1:]) {
		return failure.Usagef("end the name in .md, .json or .html", "there is no format %q", extension)
	}
	opts := conversationsExportOptions{f: i.f, Refs: []string{c.ID}, Output: path}
	if err := opts.check(); err != nil {
		return err
	}
	err = runConversationsExport(ctx, opts)
	if err != nil && strings.HasSuffix(err.Error(), " exists") {
		return failure.WithHint(err, "choose another name")
	}
	return err
}

func (i *interactive) usage(ctx context.Context, switched string) error {
	if switched != "" {
		return i.turn(&i.opts.Usage, switched, "tokens are shown after each answer")
	}
	c, err := i.current(ctx)
	if err != nil {
		return err
	}
	turns, err := i.asker.History.Turns(ctx, c.ID)
	if err != nil {
		return err
	}
	return view.AnswersUsage(i.f.Print, turns)
}

func (i *interactive) raw(_ context.Context, switched string) error {
	if switched == "" {
		switched = "on"
		if i.opts.Raw {
			switched = "off"
		}
	}
	return i.turn(&i.opts.Raw, switched, "replies are shown as they came")
}

// turn turns a switch on or off and says what is so now.
func (i *interactive) turn(what *bool, switched, meaning string) error {
	switch strings.ToLower(switched) {
	case "on":
		*what = true
		i.f.Print.Note("%s: on", meaning)
	case "off":
		*what = false
		i.f.Print.Note("%s: off", meaning)
	default:
		return failure.Usagef("say on or off", "%q is neither on nor off", switched)
	}
	return nil
}
