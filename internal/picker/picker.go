// Package picker lets the user choose a conversation of the history on the terminal: from
// a list that is filtered while the user types, with a preview, or for screen readers and
// terminals without cursor movement from a numbered list. It uses the controlling
// terminal, so stdin and stdout may be redirected. It changes nothing in the history.
package picker

import (
	"context"
	"errors"
	"io"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

var (
	// ErrCancelled is returned if the user leaves the list without a choice.
	ErrCancelled error = failure.New(failure.Other, failure.Hint{}, "no conversation was chosen")
	// ErrInterrupted is returned for Ctrl-C.
	ErrInterrupted = errors.New("interrupted while choosing a conversation")
)

// Picker chooses from the conversations of a profile.
type Picker struct {
	IO      *terminal.Streams
	Store   *history.Store
	Profile string
	Deleted bool // choose from the trash instead
}

// Choose shows the list and returns the conversation that the user chooses. The error is
// ErrCancelled, ErrInterrupted, terminal.ErrNoTerminal, a *history.NotFoundError if there
// are no conversations, ctx.Err() or an error of the history or the terminal.
func (p Picker) Choose(ctx context.Context) (history.Conversation, error) {
	none := history.Conversation{}
	l := &list{rows: firstRows}
	first, err := p.search(ctx, l.need())
	if err != nil {
		return none, err
	}
	if first.total == 0 {
		return none, p.empty(ctx)
	}
	if p.IO.Accessible || p.IO.Dumb {
		return p.choosePlain(ctx)
	}
	screen, err := terminal.OpenScreen(p.IO)
	if errors.Is(err, errors.ErrUnsupported) {
		return p.choosePlain(ctx)
	}
	if err != nil {
		return none, err
	}
	defer screen.Close()
	l.show(first)
	return p.choose(ctx, screen, l)
}

// empty returns the error for an empty list.
func (p Picker) empty(ctx context.Context) error {
	if p.Deleted {
		return failure.New(failure.NotFound, failure.Hint{}, "the trash is empty")
	}
	_, err := p.Store.LastUsed(ctx, p.Profile)
	return err
}

// choose handles keys until one ends the list. Searches and previews run in the
// background, so that every key is handled immediately; the next one cancels them.
func (p Picker) choose(ctx context.Context, screen *terminal.Screen, l *list) (history.Conversation, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var searching task[part]
	var describing task[preview]
	var shown preview
	keys := screen.Read()
	for {
		look := lookOf(screen.Size())
		l.resize(look.rows)
		if want := l.need(); want.limit > 0 && want != searching.request {
			searching.begin(ctx, want, p.search)
		}
		if c, ok := l.selected(); ok && look.previewRows > 0 {
			if want := (request{text: l.text, id: c.ID}); want != describing.request {
				describing.begin(ctx, want, func(ctx context.Context, r request) (preview, error) { return p.describe(ctx, c, r) })
			}
		}
		if _, err := io.WriteString(screen, p.draw(look, l, shown)); err != nil {
			return history.Conversation{}, err
		}
		var err error
		var what action
		select {
		case <-ctx.Done():
			return history.Conversation{}, ctx.Err()
		case <-screen.Resized():
			screen.Renew()
		case got := <-keys:
			if got.Err != nil { // the terminal was closed
				return history.Conversation{}, ErrCancelled
			}
			keys = nil
			what = l.typed(got.Typed)
		case found := <-searching.done:
			searching.request = request{}
			if err = found.failed(); err == nil {
				what = l.show(found.value)
			}
		case found := <-describing.done:
			shown, err = found.value, found.failed()
		}
		if err != nil {
			return history.Conversation{}, err
		}
		for what == suspend {
			if err := screen.Suspend(); err != nil {
				return history.Conversation{}, err
			}
			what = l.typed("") // the keys after Ctrl-Z
		}
		switch what {
		case choose:
			terminal.Unread(p.IO, l.pending)
			c, _ := l.selected()
			return c, nil
		case cancelList:
			return history.Conversation{}, ErrCancelled
		case interrupt:
			return history.Conversation{}, ErrInterrupted
		}
		if keys == nil {
			keys = screen.Read()
		}
	}
}

// request is what a task is for.
type request struct {
	text          string
	offset, limit int    // of a search
	id            string // of the conversation to describe
}

// task is work in the background.
type task[T any] struct {
	request request
	cancel  context.CancelFunc
	done    chan outcome[T] // receives one outcome
}

type outcome[T any] struct {
	value    T
	err      error
	panicked any
}

// begin cancels the earlier work and starts other work.
func (t *task[T]) begin(ctx context.Context, r request, work func(context.Context, request) (T, error)) {
	if t.cancel != nil {
		t.cancel()
	}
	ctx, t.cancel = context.WithCancel(ctx)
	done := make(chan outcome[T], 1)
	t.request, t.done = r, done
	go func() {
		var o outcome[T]
		defer func() {
			o.panicked = recover()
			done <- o
		}()
		o.value, o.err = work(ctx, r)
	}()
}

// failed returns the error of the work. It passes a panic on, so that the terminal is
// restored.
func (o outcome[T]) failed() error {
	if o.panicked != nil {
		panic(o.panicked)
	}
	return o.err
}

// search returns a part of the list.
func (p Picker) search(ctx context.Context, r request) (part, error) {
	found, total, err := p.Store.Browse(ctx, history.Filter{Profile: p.Profile, Deleted: p.Deleted, Offset: r.offset, Limit: r.limit}, r.text)
	return part{text: r.text, offset: r.offset, wanted: r.limit, conversations: found, total: total}, err
}
