package prompt

import (
	"context"
	"errors"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Edit opens a text in the editor and returns the result. Draft is the file with the
// text; the caller passes it to cli.Discard when the text is recorded. If the text is
// not a valid prompt, it stays in the file and the hint of the error names the file.
func Edit(ctx context.Context, f *cli.Factory, initial string) (text, draft string, err error) {
	if text, draft, err = f.Edit(ctx, initial, "prompt-*.md"); err != nil {
		return "", "", err
	}
	text, err = Parts{Stdin: []byte(text)}.Assemble()
	if errors.Is(err, ErrEmpty) {
		cli.Discard(draft)
		return "", "", failure.Usagef("save the file in the editor; a graphical editor needs an option to wait, such as code --wait", "the editor left the file empty")
	}
	if err != nil {
		return "", "", failure.WithHint(err, "the text is saved in %s", draft)
	}
	return text, draft, nil
}

// EditQuestion opens an earlier question in the editor. It returns an error if the
// question is not changed.
func EditQuestion(ctx context.Context, f *cli.Factory, asked string) (text, draft string, err error) {
	text, draft, err = Edit(ctx, f, asked)
	if err == nil && strings.TrimSpace(text) == strings.TrimSpace(asked) {
		cli.Discard(draft)
		return "", "", failure.Usagef("change it in the editor, or repeat the last question with --again", "the question was not changed")
	}
	return text, draft, err
}
