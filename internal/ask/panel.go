package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// MaxPanel is the maximum number of agents in a Panel.
const MaxPanel = 16

// Panel asks several agents the same question at the same time, each in a new
// conversation. An agent may occur more than once.
type Panel struct {
	// Columns requests the replies side by side if the terminal is wide enough.
	Columns bool

	asker   Asker
	members []member
}

// member is an agent of a panel with its question and the outcome.
type member struct {
	name     string
	question chat.Question
	answer   chat.Answer
	err      error
}

// PreparePanel is like Prepare, for at least one agent, each an alias or a UUID. The name
// of its agent is appended to the title of a conversation.
func PreparePanel(ctx context.Context, f *cli.Factory, profile config.Profile, s Setup, agents []string) (Panel, error) {
	s.Agent = agents[0]
	asker, question, err := Prepare(ctx, f, profile, s)
	if err != nil {
		return Panel{}, err
	}
	panel, seen := Panel{asker: asker}, map[string]int{}
	for _, agent := range agents {
		m := member{name: strings.ToLower(agent), question: question}
		if m.question.AgentID, err = profile.AgentID(agent); err != nil {
			return Panel{}, err
		}
		m.question.Instructions = new(InstructionsFor(profile, agent, s.Instructions))
		if config.IsUUID(agent) {
			m.name = profile.AgentName(agent)
		}
		if seen[m.name]++; seen[m.name] > 1 {
			m.name = fmt.Sprintf("%s (%d)", m.name, seen[m.name])
		}
		if question.Title != "" {
			m.question.Title = fmt.Sprintf("%s: %s", question.Title, m.name)
		}
		panel.members = append(panel.members, m)
	}
	return panel, nil
}

// questions returns the question with a text for each agent.
func (p Panel) questions(text string) []chat.Question {
	questions := make([]chat.Question, len(p.members))
	for i, m := range p.members {
		questions[i] = m.question
		questions[i].Text = text
	}
	return questions
}

// Instructions returns the different ones of the agents.
func (p Panel) Instructions() []*history.Instructions {
	var different []*history.Instructions
	for _, m := range p.members {
		i := m.question.Instructions
		if i != nil && !slices.ContainsFunc(different, func(other *history.Instructions) bool { return *other == *i }) {
			different = append(different, i)
		}
	}
	return different
}

// FileBudget returns the limit of the files that are found for the question.
func (p Panel) FileBudget(ctx context.Context) (attach.Budget, error) {
	return p.asker.FileBudget(ctx, p.questions("")...)
}

// Ask asks all agents and shows their replies in the order of the agents. Each answer is
// recorded before any is printed. A failure of one agent does not affect the others; the
// error is a failure.Errors with all failures. Recorded reports whether the history has the
// question.
func (p Panel) Ask(ctx context.Context, text string) (recorded bool, err error) {
	var ids []string
	for _, m := range p.members {
		ids = append(ids, m.question.AgentID)
	}
	stop := p.asker.Wait(ctx, "asking", time.Time{}, ids...)
	var asking sync.WaitGroup
	for i, question := range p.questions(text) {
		asking.Go(func() {
			p.members[i].answer, p.members[i].err = p.asker.answer(ctx, p.members[i].name, question)
		})
	}
	asking.Wait()
	var errs []error
	for _, m := range p.members {
		errs = append(errs, m.err)
	}
	stop(errors.Join(errs...))
	showErr := p.show()
	var failures failure.Errors
	for _, m := range p.members {
		recorded = recorded || m.answer.Conversation != "" && p.asker.Chat.History.Saved()
		if m.err != nil {
			failures = append(failures, &memberError{m.name, m.err})
		}
		if m.answer.SaveErr != nil {
			failures = append(failures, &memberError{m.name, &chat.NotSavedError{Err: m.answer.SaveErr, Shown: showErr == nil}})
		}
	}
	if showErr != nil {
		failures = append(failures, p.whereSaved(showErr))
	} else {
		p.remark()
	}
	if len(failures) == 0 {
		return recorded, nil
	}
	return recorded, failures
}

// answer asks one agent, for JSON if a.Contract is set.
func (a Asker) answer(ctx context.Context, name string, question chat.Question) (chat.Answer, error) {
	if a.Contract == nil {
		return a.Chat.Ask(ctx, question)
	}
	return a.askJSON(ctx, name, question, a.Chat.Ask)
}

// show writes the replies to stdout.
func (p Panel) show() error {
	out := p.asker.f.Print
	if out.IO.OutClosed {
		return cli.OutputError(terminal.ErrOutClosed)
	}
	if out.WantsJSON() {
		return out.JSON(p.elements())
	}
	var replies []view.NamedReply
	for _, m := range p.members {
		if m.err == nil {
			replies = append(replies, view.NamedReply{Name: m.name, Text: view.Markdown(m.answer)})
		}
	}
	if p.Columns && len(replies) > 1 {
		text, unfit := view.SideBySide(out, replies, p.asker.Profile.Style, p.asker.Raw)
		if unfit == "" {
			return p.asker.write(text)
		}
		out.Note("the replies are one below the other: %s", unfit)
	}
	return p.asker.write(view.Stacked(out, replies, p.asker.Profile.Style, p.asker.Raw))
}

// failedElement is the outcome of an agent without an answer as printed by --json.
type failedElement struct {
	AgentID *string        `json:"agent_id"`
	Error   failure.Report `json:"error"`
}

// elements returns the envelopes of the answers and the reports of the failures, in the
// order of the agents.
func (p Panel) elements() []any {
	elements := make([]any, len(p.members))
	for i, m := range p.members {
		if m.err != nil {
			elements[i] = failedElement{cli.OrNull(m.question.AgentID), p.asker.f.Print.Explain(m.err)}
		} else {
			elements[i] = view.NewEnvelope(m.answer, p.asker.Profile.Name, m.question.AgentID, p.asker.Chat.History.Saved())
		}
	}
	return elements
}

// remark prints notes and warnings about the answers.
func (p Panel) remark() {
	guide := false
	for _, m := range p.members {
		if errors.As(m.err, new(*unfitError)) {
			p.asker.showUnfit(m.answer)
		}
		if m.err != nil {
			continue
		}
		view.Incomplete(p.asker.f.Print, m.name, m.answer.Reply)
		if p.asker.Usage {
			view.Cost(p.asker.f.Print, m.name, m.answer)
		}
		guide = guide || m.answer.Reply.Model == "guide"
	}
	if guide {
		p.asker.noteGuide()
	}
}

// whereSaved returns an error of printing with the conversations of the replies.
func (p Panel) whereSaved(err error) error {
	var saved []string
	for _, m := range p.members {
		if m.answer.Saved {
			saved = append(saved, history.Short(m.answer.Conversation))
		}
	}
	if len(saved) == 0 {
		return err
	}
	return failure.WithHint(err, "the replies are saved in the conversations %s", strings.Join(saved, ", "))
}

// memberError is a failure of a named agent.
type memberError struct {
	name string
	err  error
}

func (e *memberError) Error() string { return e.name + ": " + e.err.Error() }

// Unwrap returns the failure.
func (e *memberError) Unwrap() error { return e.err }
