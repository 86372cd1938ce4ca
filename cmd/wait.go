package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// pollPace is how often the history is looked at for an answer.
const pollPace = 200 * time.Millisecond

type waitOptions struct {
	f *Factory

	Turn    string
	Raw     bool
	Timeout time.Duration // 0 waits as long as it takes
}

func newWaitCommand(f *Factory) *cobra.Command {
	opts := waitOptions{f: f}
	cmd := &cobra.Command{
		Use:   "wait [TURN]",
		Short: "Wait for the answer to a question that is under way",
		Long: `Print the answer to a question as soon as it comes, just as chat would have: one
that chat --detach asked, or one that waits in another terminal. Without TURN it is
the question of the profile that was asked last and has no answer yet, else the
latest one.

An answer that is there already is printed at once. A question that got none ends
with what is known of it. Ctrl-C ends the waiting, and so does --timeout; the
question goes on.`,
		Example: `  hobnob wait
  turn=$(hobnob chat -q --detach "summarise the log" -f app.log)
  hobnob wait "$turn" > summary.md`,
		GroupID:           groupAsk,
		Args:              atMostOne,
		ValidArgsFunction: f.completeFirst(f.completePending),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Turn = args[0]
			}
			if cmd.Flags().Changed("timeout") {
				setting, _ := config.Lookup("timeout")
				value, err := setting.Parse(f.Global.Timeout)
				if err != nil {
					return usagef("see: hobnob wait --help", "--timeout: %v", err)
				}
				opts.Timeout, _ = value.(time.Duration)
			}
			return runWait(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.Raw, "raw", "r", false, "do not render the reply")
	return cmd
}

func runWait(ctx context.Context, opts waitOptions) error {
	f := opts.f
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	turn, err := opts.find(ctx, store)
	if err != nil {
		return err
	}
	profile, err := f.profileOf(ctx, store, turn)
	if err != nil {
		return err
	}
	flag := " -p " + shell.Word(profile.Name)
	if active, err := f.Profile(); err == nil && active.Name == profile.Name {
		flag = ofProfile
	}
	e := &exchange{f: f, opts: chatOptions{f: f, Raw: opts.Raw}, profile: profile, save: true, pages: true,
		asker: chat.Asker{History: store, Profile: profile.Name}}
	if turn.State == history.Pending {
		stop := e.wait(ctx, "waiting for", turn.AgentID, turn.Asked)
		turn, err = opts.settled(ctx, store, turn)
		stop(errors.Join(err, noAnswer(turn, flag)))
	}
	if err == nil {
		err = noAnswer(turn, flag)
	}
	if err != nil {
		return err
	}
	answer, err := answerOf(ctx, store, turn)
	if err != nil {
		return err
	}
	return e.finish(chat.Question{AgentID: turn.AgentID}, answer)
}

// errNothingPending says that nothing was asked that an answer could come to.
var errNothingPending = errors.New("there is no question to wait for")

// find returns the turn that is named, else the latest of the profile that is
// pending, else the latest: its answer may have come before anybody waited.
func (o waitOptions) find(ctx context.Context, store *history.Store) (history.Turn, error) {
	if o.Turn != "" {
		if store == nil {
			return history.Turn{}, &history.TurnNotFoundError{Ref: o.Turn}
		}
		return store.FindTurn(ctx, "", o.Turn)
	}
	profile, err := o.f.Profile()
	if err != nil {
		return history.Turn{}, err
	}
	var pending []history.Turn
	if store != nil {
		if pending, err = store.Pending(ctx, profile.Name); err != nil {
			return history.Turn{}, err
		}
	}
	if len(pending) > 0 {
		return pending[0], nil
	}
	turn, err := latestTurn(ctx, store, profile.Name)
	var missing *history.NotFoundError
	if errors.As(err, &missing) {
		return turn, fmt.Errorf("%w in the profile %q", errNothingPending, profile.Name)
	}
	if err == nil {
		o.f.note("no question is under way; this is the latest, asked %s: %s", ago(turn.Asked, time.Now()), history.TitleOf(turn.Question))
	}
	return turn, err
}

// latestTurn is the last question of the conversation that was used last.
func latestTurn(ctx context.Context, store *history.Store, profile string) (history.Turn, error) {
	if store == nil {
		return history.Turn{}, &history.NotFoundError{Ref: "latest"}
	}
	conversation, err := store.Latest(ctx, profile)
	if err != nil {
		return history.Turn{}, err
	}
	turns, err := store.Turns(ctx, conversation.ID)
	if err != nil {
		return history.Turn{}, err
	}
	latest := turns[0]
	for _, t := range turns {
		if t.Asked.After(latest.Asked) {
			latest = t
		}
	}
	return latest, nil
}

// profileOf is the profile of a turn's conversation, whichever is selected.
func (f *Factory) profileOf(ctx context.Context, store *history.Store, turn history.Turn) (config.Profile, error) {
	conversation, err := store.Find(ctx, turn.Conversation)
	var missing *history.NotFoundError
	if errors.As(err, &missing) {
		conversation, err = store.FindDeleted(ctx, turn.Conversation)
	}
	if err != nil {
		return config.Profile{}, err
	}
	c, err := f.Config()
	if err != nil {
		return config.Profile{}, err
	}
	profile, err := c.Profile(conversation.Profile)
	if err != nil { // the profile is gone; its agents have no names then
		return config.Profile{Name: conversation.Profile}, nil
	}
	return profile, nil
}

// settled is settled within the time of --timeout.
func (o waitOptions) settled(ctx context.Context, store *history.Store, turn history.Turn) (history.Turn, error) {
	if o.Timeout == 0 {
		return settled(ctx, store, turn)
	}
	limited, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	turn, err := settled(limited, store, turn)
	var waiting *stillPendingError
	if errors.As(err, &waiting) && ctx.Err() == nil {
		waiting.err = fmt.Errorf("no answer within %s; the question goes on", config.Format(o.Timeout))
	}
	return turn, err
}

// settled waits until a turn is not pending any more. A turn whose process has
// died reads as unknown.
func settled(ctx context.Context, store *history.Store, turn history.Turn) (history.Turn, error) {
	pace := time.NewTicker(pollPace)
	defer pace.Stop()
	for id := turn.ID; turn.State == history.Pending; {
		select {
		case <-ctx.Done():
			return turn, &stillPendingError{turn: turn, err: ctx.Err()}
		case <-pace.C:
		}
		now, err := store.FindTurn(ctx, turn.Conversation, id)
		if err != nil && ctx.Err() == nil {
			return turn, err
		}
		if err == nil {
			turn = now
		}
	}
	return turn, nil
}

// stillPendingError is a wait that ended before the question had its answer.
type stillPendingError struct {
	turn history.Turn
	err  error
}

func (e *stillPendingError) Error() string { return e.err.Error() }
func (e *stillPendingError) Unwrap() error { return e.err }

func (e *stillPendingError) hint() string {
	return "to wait for its answer again: hobnob wait " + history.Short(e.turn.ID)
}

// answerOf is what chat would have shown of an answered turn.
func answerOf(ctx context.Context, store *history.Store, turn history.Turn) (chat.Answer, error) {
	beside, err := store.Beside(ctx, turn)
	if err != nil {
		return chat.Answer{}, err
	}
	reply := api.Reply{Text: turn.Reply, FinishReason: turn.Service.FinishReason, Raw: turn.Service.Response}
	// Of an answer that was imported there is no response.
	var response struct {
		Created json.Number `json:"created"`
	}
	if json.Unmarshal(turn.Service.Response, &response) == nil {
		reply.Created = response.Created
	}
	reply.ID, reply.ConversationID, reply.Model = turn.Service.ID, turn.Service.ConversationID, turn.Service.Model
	if u := turn.Service.Usage; u != nil {
		reply.Usage = &api.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, TotalTokens: u.TotalTokens}
	}
	return chat.Answer{
		Reply: reply, Conversation: turn.Conversation, Turn: turn.ID, Parent: turn.Parent,
		Started: turn.Asked, Elapsed: turn.Ended.Sub(turn.Asked), Branch: beside,
	}, nil
}

// noAnswerError is what the history knows of a question that got no answer.
type noAnswerError struct {
	turn history.Turn
	flag string // what selects the profile of the turn, after a command
}

// resend is the command that asks the question again.
func (e *noAnswerError) resend() string {
	return "hobnob resend " + history.Short(e.turn.Conversation) + e.flag
}

func (e *noAnswerError) Error() string {
	return fmt.Sprintf("the question of turn %s got no answer: %s", history.Short(e.turn.ID), first(e.turn.Failure, "the reason is not known"))
}

// noAnswer returns an error for a turn that failed or whose outcome is unknown. After
// the commands of its hint stands the flag.
func noAnswer(turn history.Turn, flag string) error {
	if turn.State != history.Failed && turn.State != history.Unknown {
		return nil
	}
	return &chat.FailedError{State: turn.State, Conversation: turn.Conversation, Turn: turn.ID, Err: &noAnswerError{turn, flag}}
}

// recordedFailure finds the status in the text of an api.Error.
var recordedFailure = regexp.MustCompile(`^(?:GET|POST) \S+: (?:(\d{3})\b)?`)

// describe finds the code of what made chat fail in the words that the history
// keeps of it.
func (e *noAnswerError) describe() failure {
	if e.turn.State == history.Unknown {
		return failure{Code: "unknown", Exit: exitUnknown, Hint: "the service may have accepted the question; to send it again: " + e.resend()}
	}
	out := failure{Code: "error", Exit: exitError}
	if found := recordedFailure.FindStringSubmatch(e.turn.Failure); found != nil {
		status, _ := strconv.Atoi(found[1])
		switch out.Status = status; status {
		case 0:
			out.Code, out.Exit = "not_sent", exitNotSent
		case 401, 403:
			out.Code, out.Exit = "auth", exitAuth
		case 429, 503:
			out.Code, out.Exit = "limited", exitLimited
		default:
			out.Code, out.Exit = "refused", exitRefused
		}
	}
	out.Hint = "the service did not accept the question; to send it again: " + e.resend()
	if out.Exit == exitAuth {
		out.Hint = "store a valid token with hobnob login" + e.flag + ", then: " + e.resend()
	}
	return out
}

// completePending offers the turns that are under way, with their questions.
func (f *Factory) completePending(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	f.quietly(cmd)
	profile, err := f.Profile()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	store, err := f.ReadHistory(cmd.Context())
	if err != nil || store == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	pending, err := store.Pending(cmd.Context(), profile.Name)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var described []pair
	for _, turn := range pending[:min(len(pending), mostCandidates)] {
		described = append(described, pair{turn.ID, history.TitleOf(turn.Question)})
	}
	return idCandidates(described, word)
}
