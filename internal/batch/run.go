package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sync/semaphore"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
)

// maxInFlight is the maximum size of all rows in flight in bytes. A larger row is in
// flight alone.
const maxInFlight = 32 << 20

// run is the state of one run of a batch. One goroutine takes rows, and workers ask them.
type run struct {
	*Batch
	out     *Output
	seen    *index
	limiter *limiter

	taking context.Context // ends when no more rows are taken or sent
	stop   context.CancelCauseFunc
	flying context.Context // ends when requests in flight are cancelled
	cancel context.CancelCauseFunc

	work  chan job
	free  chan int      // slots of the output that are not in use
	ended chan struct{} // has a value if there is something in ready
	lines [][]byte      // buffers for results by slot
	room  *semaphore.Weighted

	read   atomic.Int64 // bytes of the input that are taken
	asking atomic.Int64 // bytes of them that are in flight

	mu      sync.Mutex
	next    int              // number of the next job to write, if ordered
	waiting map[int]finished // jobs by number that wait for the next one, if ordered
	ready   []finished       // jobs to write
	stats   Stats
	unsent  int // rows in succession that could not be sent
	failing bool

	rescued int // rows written to stdout because the output failed
}

// job is a row that is being asked.
type job struct {
	number int // of all jobs, in the order of the input
	slot   int
	row    Row
	weight int64
}

func newRun(ctx context.Context, b *Batch, out *Output, seen *index) *run {
	r := &run{
		Batch: b, out: out, seen: seen, limiter: newLimiter(b.Pace.Concurrency, b.Pace.Rate, b.pausing()),
		work: make(chan job, b.slots()), free: make(chan int, b.slots()), ended: make(chan struct{}, 1), lines: make([][]byte, b.slots()),
		room: semaphore.NewWeighted(maxInFlight), waiting: map[int]finished{},
	}
	r.flying, r.cancel = context.WithCancelCause(ctx)
	r.taking, r.stop = context.WithCancelCause(r.flying)
	for slot := range b.slots() {
		r.free <- slot
	}
	return r
}

// all takes and asks all rows. It returns why it stopped before the end of the input.
func (r *run) all() error {
	defer r.cancel(nil)
	defer r.handleSignals()()
	defer r.showProgress()()
	var workers, writer sync.WaitGroup
	for range r.Pace.Concurrency {
		workers.Go(func() {
			for j := range r.work {
				r.finish(j, r.ask(j))
			}
		})
	}
	writer.Go(r.write)
	err := r.take()
	close(r.work)
	workers.Wait()
	close(r.ended)
	writer.Wait()
	if cause := context.Cause(r.taking); cause != nil {
		err = r.stopped(cause)
	}
	return err
}

// stopped returns the error of a run that was stopped.
func (r *run) stopped(cause error) error {
	var signal *cli.SignalError
	switch {
	case errors.As(cause, &signal):
		return &cli.InterruptedError{Signal: signal, Err: cause}
	case errors.Is(cause, errFailFast):
		return nil
	case r.rescued > 0:
		return failure.New(failure.NotSaved, failure.Plain(fmt.Sprintf("append the %s on stdout to %s", plural.Count(r.rescued, "row"), r.Output)), cause.Error())
	}
	return cause
}

// take reads rows and starts jobs until the end of the input or of r.taking.
func (r *run) take() error {
	rows := r.Input.rows(r.taking)
	for number := 0; ; {
		row, err := rows.Next()
		r.read.Store(rows.offset)
		var malformed *RowError
		mine := errors.As(err, &malformed) && r.Shard.HasMalformed()
		switch {
		case err == nil:
			if mine, err = r.mine(row); err != nil && !errors.As(err, &malformed) {
				return err
			}
		case r.taking.Err() != nil || errors.Is(err, io.EOF):
			return nil
		case malformed == nil:
			return r.Input.explain(err)
		}
		if !mine {
			continue
		}
		j, ok := r.newJob(number, row)
		if !ok {
			return nil
		}
		number++
		if malformed != nil {
			report := r.Print.Explain(malformed)
			r.finish(j, &Result{Line: malformed.Line, Error: &report, Shard: r.Shard.String()})
			continue
		}
		r.work <- j // has room for all slots
	}
}

// mine reports whether a row is to be sent: it belongs to the shard, and an earlier run
// has not recorded it. The error of a second row with the same id is a *RowError.
func (r *run) mine(row Row) (bool, error) {
	if !r.Shard.Has(row.ID) {
		return false, nil
	}
	first, added, err := r.seen.add(r.taking, row.ID, row.Line)
	switch {
	case err != nil:
		return false, err
	case added:
		return true, nil
	case !isRecorded(first):
		return true, duplicateError(row, first)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if first == recordedUnknown {
		r.stats.Unknown++
	} else {
		r.stats.Earlier++
	}
	return false, nil
}

// newJob waits until there is room for another row. It reports false if r.taking ends
// first.
func (r *run) newJob(number int, row Row) (job, bool) {
	j := job{number: number, row: row, weight: min(int64(row.Size), maxInFlight)}
	select {
	case j.slot = <-r.free:
	case <-r.taking.Done():
		return j, false
	}
	if r.room.Acquire(r.taking, j.weight) != nil {
		return j, false
	}
	r.asking.Add(j.weight)
	return j, true
}

// count returns the counts so far.
func (r *run) count() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// handleSignals lets the first signal stop the run and the second cancel the requests in
// flight, until stop is called. The third one has its default effect.
func (r *run) handleSignals() (stop func()) {
	if r.Print.Interrupts == nil {
		return func() {}
	}
	signals, restore := r.Print.Interrupts(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		defer restore()
		for _, act := range []func(cause error){r.finishInFlight, r.cancelInFlight} {
			select {
			case signal := <-signals:
				act(&cli.SignalError{Signal: signal})
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		watching.Wait()
	}
}

func (r *run) finishInFlight(cause error) {
	r.stop(cause)
	r.Print.Note("stopping: no more rows are sent; waiting for those in flight; to cancel them, press Ctrl-C again; %s", r.goOn())
}

func (r *run) cancelInFlight(cause error) {
	r.cancel(cause)
	r.Print.Note("cancelling the rows in flight; %s", r.goOn())
}
