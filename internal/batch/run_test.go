package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"golang.org/x/time/rate"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/template"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// senderFunc is a service.
type senderFunc func(ctx context.Context, prompt string) error

func (f senderFunc) Chat(ctx context.Context, request api.Request, _ string) (api.Reply, error) {
	prompt := request.Messages[len(request.Messages)-1].Content
	if err := f(ctx, prompt); err != nil {
		return api.Reply{}, err
	}
	return api.Reply{Text: prompt, FinishReason: "stop"}, nil
}

// newBatch returns a batch of plain lines that writes to a file.
func newBatch(t *testing.T, input string, service senderFunc) (b *Batch, out string) {
	t.Helper()
	questions, err := NewQuestions(config.Profile{}, template.Library{Dir: t.TempDir(), CheckName: config.CheckName}, Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	out = filepath.Join(t.TempDir(), "out.jsonl")
	streams := &terminal.Streams{In: strings.NewReader(""), Out: &strings.Builder{}, Err: &strings.Builder{}}
	return &Batch{
		Input: &Input{name: "in", file: strings.NewReader(input), lines: true}, Questions: questions, Client: service, Output: out,
		Pace: Pace{Concurrency: 2, Rate: rate.Inf}, Print: cli.New(streams, func(string) string { return "" }).Print,
	}, out
}

// ids returns the ids and the outcomes of an output, in its order.
func ids(t *testing.T, out string) (ids []string) {
	t.Helper()
	_, _, err := readResults(out, func(r record) error {
		id := "null"
		if r.ID != nil {
			id = *r.ID
		}
		if r.Outcome() != Answered {
			id += " " + r.Error.Code
		}
		ids = append(ids, id)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}

// While the first row is slow, a limited number of rows after it are sent, and none of
// them is written before it.
func TestOrderedWaitsForSlowRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rows = 40
		release := make(chan struct{})
		var mu sync.Mutex
		sent := 0
		b, out := newBatch(t, lines(rows), func(_ context.Context, prompt string) error {
			mu.Lock()
			sent++
			mu.Unlock()
			if prompt == "1" {
				<-release
			}
			return nil
		})
		b.Ordered = true
		done := make(chan error)
		go func() { done <- b.Run(t.Context()) }()
		synctest.Wait()
		mu.Lock()
		if sent != b.slots() || len(ids(t, out)) != 0 {
			t.Errorf("%d rows are sent and %d written while the first is slow, want %d and 0", sent, len(ids(t, out)), b.slots())
		}
		mu.Unlock()
		close(release)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(ids(t, out), "\n")+"\n", lines(rows); got != want {
			t.Errorf("the order is\n%s", got)
		}
	})
}

func TestRunStops(t *testing.T) {
	auth := &api.Error{Kind: failure.Auth, Status: 401}
	refused := &api.Error{Kind: failure.Refused, Status: 422}
	notSent := &api.Error{Kind: failure.NotSent, Err: errors.New("connection refused")}
	for name, tc := range map[string]struct {
		service  error
		failFast bool
		want     failure.Kind
		most     int // rows sent
	}{
		"token refused":      {auth, false, failure.Auth, 2},
		"service down":       {notSent, false, failure.NotSent, minUnreachable + 2},
		"first failure":      {refused, true, failure.Rows, 2},
		"rows refused":       {refused, false, failure.Rows, 100},
		"outcomes not known": {&api.Error{Kind: failure.Unknown, MaybeAccepted: true}, false, failure.Rows, 100},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			sent := map[string]int{}
			b, out := newBatch(t, lines(100), func(_ context.Context, prompt string) error {
				mu.Lock()
				defer mu.Unlock()
				sent[prompt]++
				return tc.service
			})
			b.FailFast = tc.failFast
			err := b.Run(t.Context())
			if kind := failure.Of(err).Kind; kind != tc.want {
				t.Errorf("%v: %v, want %v", err, kind, tc.want)
			}
			if got := len(ids(t, out)); got != len(sent) || got == 0 || got > tc.most {
				t.Errorf("%d rows are sent and %d written, want at most %d", len(sent), got, tc.most)
			}
			for id, n := range sent {
				if n != 1 {
					t.Errorf("row %s is sent %d times", id, n)
				}
			}
			if _, err := os.Stat(out + ".sending"); err == nil {
				t.Error("the journal is left")
			}
		})
	}
}

// Rows that the service certainly did not accept are retried, and others are not.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		sent := map[string]int{}
		b, out := newBatch(t, "ok\nlimited\ndown\npostponed\nunknown\nrefused\n", func(_ context.Context, prompt string) error {
			mu.Lock()
			defer mu.Unlock()
			sent[prompt]++
			switch {
			case prompt == "limited":
				return &api.Error{Kind: failure.Limited, Status: 429}
			case prompt == "down" && sent[prompt] < 3:
				return &api.Error{Kind: failure.NotSent}
			case prompt == "postponed" && sent[prompt] < 10:
				return &api.Error{Kind: failure.Limited, Status: 429, Postponed: true, RetryAfter: 1}
			case prompt == "unknown":
				return &api.Error{Kind: failure.Unknown, MaybeAccepted: true}
			case prompt == "refused":
				return &api.Error{Kind: failure.Refused}
			}
			return nil
		})
		b.Pace.Concurrency, b.Ordered, b.Retries = 1, true, 2
		err := b.Run(t.Context())
		if kind := failure.Of(err).Kind; kind != failure.Rows {
			t.Errorf("%v: %v", err, kind)
		}
		if got := strings.Join(ids(t, out), ", "); got != "1, 2 limited, 3, 4, 5 unknown, 6 refused" {
			t.Errorf("results: %s", got)
		}
		if got := fmt.Sprint(sent); got != "map[down:3 limited:3 ok:1 postponed:10 refused:1 unknown:1]" {
			t.Errorf("sent: %s", got)
		}
	})
}
