package prompt

import (
	"context"
	"errors"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Edit lets the user change a text in the editor. The draft is the file that
// holds the text until the caller has recorded it and calls cli.Discard; a text
// that cannot be asked stays in it, and the error names it.
func Edit(ctx context.Context, f *cli.Factory, initial string) (text, draft string, err error) {
	if text, draft, err = f.Edit(ctx, initial, "prompt-*.md"); err != nil {
		return "", "", err
	}
	text, err = Parts{Stdin: []byte(text)}.Assemble()
	if errors.Is(err, ErrNothingToSay) {
		cli.Discard(draft)
		return "", "", failure.Usagef("save your text in it; an editor with a window of its own must wait, like code --wait", "%v: the editor left the file empty", err)
	}
	if err != nil {
		return "", "", failure.WithHint(err, "the text is kept in %s", draft)
	}
	return text, draft, nil
}

// EditQuestion lets the user change a question that was asked before. One that is
// left as it was is refused.
func EditQuestion(ctx context.Context, f *cli.Factory, asked string) (text, draft string, err error) {
	text, draft, err = Edit(ctx, f, asked)
	if err == nil && strings.TrimSpace(text) == strings.TrimSpace(asked) {
		cli.Discard(draft)
		return "", "", failure.Usagef("change it in the editor; --again asks the last question as it was", "the question was not changed, and is not asked")
	}
	return text, draft, err
}
