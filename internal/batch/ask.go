package batch

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// minUnreachable is the number of rows in succession that cannot be sent before the run
// stops, unless more are in flight at a time.
const minUnreachable = 20

// ask asks the question of one row. It returns nil if the row was not sent because the run
// stopped.
func (r *run) ask(j job) *Result {
	s := &sender{run: r, slot: j.slot, id: j.row.ID, until: r.taking}
	answer, err := r.answer(s, j.row)
	if errors.Is(err, errStopped) {
		return nil
	}
	result := &Result{ID: &j.row.ID, Answer: answer, Shard: r.Shard.String()}
	if err != nil {
		result.Answer, result.Error = nil, r.report(err)
	}
	r.judge(err)
	return result
}

// answer returns the answer to a row. Everything that asks the service for this row goes
// through s.
func (r *run) answer(s *sender, row Row) (*Answer, error) {
	question, err := r.Questions.Question(row)
	if err != nil {
		return nil, err
	}
	if err := question.check(r.flying, r.Guard, r.Input, row.Line); err != nil {
		return nil, err
	}
	if err := s.admit(); err != nil { // before the question is in the history
		return nil, err
	}
	e := &exchange{sender: s, question: question, started: time.Now()}
	if contract := r.Questions.defaults.Contract; contract != nil {
		return e.fitting(contract)
	}
	return e.ask(question.Messages[len(question.Messages)-1].Content)
}

// report returns the report of a row that has no answer.
func (r *run) report(err error) *failure.Report {
	report := r.Print.Explain(err)
	report.State = stateFailed
	var e *api.Error
	if errors.As(err, &e) && e.MaybeAccepted {
		report.State = stateUnknown
	}
	if report.State == stateUnknown && e.Kind == failure.Interrupted {
		report.Code, report.Exit = failure.Unknown.String(), failure.Unknown.Exit()
		report.Message = "cancelled while the row was in flight; the service may have accepted the question"
	}
	return &report
}

// judge stops the run if the next rows would fail like this one.
func (r *run) judge(err error) {
	kind := failure.Of(err).Kind
	r.mu.Lock()
	defer r.mu.Unlock()
	if kind != failure.NotSent {
		r.unsent = 0
	} else {
		r.unsent++
	}
	if kind == failure.Auth || r.unsent >= max(minUnreachable, r.Pace.Concurrency) {
		r.stop(err)
	}
}

// errStopped means that a row was not sent because the run stopped.
var errStopped = errors.New("the batch was stopped")

// sender sends the requests of one row. It implements chat.Sender: it waits for its turn,
// records the row in the journal, and retries requests that were certainly not accepted.
type sender struct {
	run      *run
	slot     int
	id       string
	until    context.Context // ends when no request may begin
	done     func(outcome)   // ends the request that may begin; nil if none may
	attempts int
}

// admit waits until the next request may begin. The error is errStopped.
func (s *sender) admit() (err error) {
	if s.done == nil {
		if s.done, err = s.run.limiter.acquire(s.until); err != nil {
			return errStopped
		}
	}
	if s.until.Err() != nil {
		s.end(outcome{})
		return errStopped
	}
	return nil
}

func (s *sender) end(o outcome) {
	s.done(o)
	s.done = nil
}

// Chat sends a request. If the run stops before it is sent, the error is errStopped.
func (s *sender) Chat(ctx context.Context, request api.Request, key string) (api.Reply, error) {
	var delays *backoff.ExponentialBackOff
	for retries := 0; ; {
		if err := s.admit(); err != nil {
			return api.Reply{}, err
		}
		if err := s.run.out.begin(s.slot, s.id); err != nil {
			s.end(outcome{})
			s.run.stop(err)
			return api.Reply{}, errStopped
		}
		s.attempts++
		reply, err := s.run.Client.Chat(ctx, request, key)
		if err == nil {
			s.end(outcome{kind: answered})
			return reply, nil
		}
		var e *api.Error
		if !errors.As(err, &e) || e.MaybeAccepted {
			s.end(outcome{})
			return api.Reply{}, err
		}
		if err := s.run.out.withdraw(s.slot); err != nil {
			s.run.stop(err)
		}
		var delay time.Duration
		switch {
		case e.Kind == failure.Interrupted:
			s.end(outcome{})
			return api.Reply{}, errStopped
		case e.Postponed:
			s.end(outcome{kind: limited, wait: e.RetryAfter})
			continue
		case (e.Kind == failure.Limited || e.Kind == failure.NotSent) && retries < s.run.Retries:
			if retries++; delays == nil {
				delays = backoff.NewExponentialBackOff()
				delays.InitialInterval, delays.Multiplier = 250*time.Millisecond, 2
			}
			delay = delays.NextBackOff()
			s.end(outcome{})
		default:
			s.end(outcome{})
			return api.Reply{}, err
		}
		select {
		case <-time.After(delay):
		case <-s.until.Done():
			return api.Reply{}, errStopped
		}
	}
}
