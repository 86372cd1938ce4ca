package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// validateDetach refuses flags of `chat` that need an answer now, or a history
// that is not written.
func (o chatOptions) validateDetach() error {
	const see = "see: hobnob chat --help"
	switch {
	case o.Raw || o.Extract != "" || o.Copy || o.Usage:
		return failure.Usagef("leave it out; hobnob wait shows the answer", "--raw, --extract, --copy and --usage want an answer, for which --detach does not wait")
	case o.NoSave:
		return failure.Usagef(see, "--detach and --no-save exclude each other: the answer would be lost")
	case o.DryRun:
		return failure.Usagef(see, "--detach and --dry-run exclude each other")
	case o.Interactive || o.talks():
		return failure.Usagef(`ask like this: hobnob chat --detach "how do I …?"`, "--detach is for one question, not for an interactive chat")
	}
	return nil
}

// needsHistory explains why --detach cannot be had where nothing is saved.
func needsHistory(profile config.Profile) error {
	return failure.WithHint(failure.Usagef("", "--detach needs the history, and history.save is false in the profile %q", profile.Name), "%s, or leave --detach out", failure.Run("hobnob config set history.save true"))
}

// detachedJSON is what chat --detach --json prints.
type detachedJSON struct {
	Version      int           `json:"version"`
	Conversation string        `json:"conversation"`
	Turn         string        `json:"turn"`
	State        history.State `json:"state"`
}

// detach hands the question to a process in the background, which asks it, and
// returns as soon as that one has kept it.
func (e *exchange) detach(ctx context.Context, question chat.Question) (chat.Answer, error) {
	plan, err := e.asker.Plan(ctx, question)
	if err == nil {
		_, err = e.client.Preview(plan.Request) // what is wrong with it is told now
	}
	if err != nil {
		return chat.Answer{}, err
	}
	d := newDelivery(e.profile, question)
	if d.Token, err = e.f.Token(ctx, e.profile); err != nil {
		return chat.Answer{}, err
	}
	d.Selected = e.f.SelectedProfile()
	turn, err := startDelivery(ctx, e.f, d)
	if err != nil {
		return chat.Answer{}, err
	}
	answer := chat.Answer{Conversation: turn.Conversation, Turn: turn.Turn}
	if e.f.Global.JSON {
		err = e.f.Print.JSON(detachedJSON{Version: 1, Conversation: turn.Conversation, Turn: turn.Turn, State: history.Pending})
	} else {
		err = e.f.Print.Printf("%s\n", turn.Turn)
	}
	if err != nil {
		return answer, failure.WithHint(err, "%s", "the question is on its way: hobnob wait "+history.Short(turn.Turn))
	}
	e.f.Print.Note("the question is asked in the background; to see its answer: hobnob wait %s", history.Short(turn.Turn))
	return answer, nil
}

// startDelivery starts this program again as `hobnob deliver`.
func startDelivery(ctx context.Context, f *cli.Factory, d delivery) (chat.Receipt, error) {
	document, err := json.Marshal(d)
	if err != nil {
		return chat.Receipt{}, err
	}
	paths, err := f.Paths()
	if err != nil {
		return chat.Receipt{}, err
	}
	program, err := os.Executable()
	if err != nil {
		return chat.Receipt{}, fmt.Errorf("cannot find this program: %w", err)
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), program)
	command.Args = []string{"hobnob", deliverName}
	command.Env = append(chat.DetachedEnvironment(os.Environ()), "HOBNOB_CONFIG="+paths.ConfigFile, "HOBNOB_DATA_DIR="+paths.DataDir, "HOBNOB_STATE_DIR="+paths.StateDir)
	command.Dir = paths.DataDir // any other might be in the way of a user who wants to remove it
	return chat.Detach(ctx, command, document)
}
