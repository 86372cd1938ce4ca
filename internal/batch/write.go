package batch

import (
	"errors"
	"runtime"
)

const (
	// maxTogether limits the size in bytes of rows that are written together.
	maxTogether = 64 << 10
	// maxLine is the maximum size of a buffer for a result that is used again.
	maxLine = 16 << 10
)

// finished is a job and the line of its result, or nil if the row was not sent.
type finished struct {
	job
	line []byte
}

// finish passes the result of a job to write, after those before it if they are ordered.
// The result is nil if the row was not sent.
func (r *run) finish(j job, result *Result) {
	r.room.Release(j.weight)
	r.asking.Add(-j.weight)
	j.row = Row{} // its memory is not needed while the result waits
	f := finished{job: j}
	var err error
	if result != nil {
		f.line, err = result.encode(r.lines[j.slot])
		if r.lines[j.slot] = f.line; cap(f.line) > maxLine {
			r.lines[j.slot] = nil
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.fail(err)
	}
	if result != nil {
		r.tally(result)
	}
	if !r.Ordered {
		r.ready = append(r.ready, f)
	} else {
		r.waiting[f.number] = f
		for f, ok := r.waiting[r.next]; ok; f, ok = r.waiting[r.next] {
			delete(r.waiting, r.next)
			r.next++
			r.ready = append(r.ready, f)
		}
	}
	select {
	case r.ended <- struct{}{}:
	default:
	}
}

// write writes results until r.ended is closed.
func (r *run) write() {
	var ready []finished
	for range r.ended {
		// Requests that are about to end are written together with this one.
		runtime.Gosched()
		r.mu.Lock()
		ready, r.ready = r.ready, ready[:0]
		r.mu.Unlock()
		for rest := ready; len(rest) > 0; {
			n, size := 1, len(rest[0].line)
			for n < len(rest) && size+len(rest[n].line) <= maxTogether {
				size += len(rest[n].line)
				n++
			}
			r.append(rest[:n])
			rest = rest[n:]
		}
		clear(ready)
	}
}

// append writes results and frees their slots. If the output fails, no more rows are
// taken, and the results of those in flight go to stdout.
func (r *run) append(jobs []finished) {
	r.mu.Lock()
	failing := r.failing
	r.mu.Unlock()
	if !failing {
		err := r.out.write(jobs)
		if err == nil {
			for _, f := range jobs {
				r.free <- f.slot
			}
			return
		}
		r.mu.Lock()
		r.fail(err)
		r.mu.Unlock()
	}
	if !r.out.resumable() {
		return
	}
	for _, f := range jobs {
		if f.line == nil {
			continue
		}
		if _, err := r.Print.IO.Out.Write(f.line); err == nil {
			r.rescued++
		}
	}
}

// fail stops the run because results cannot be written.
func (r *run) fail(err error) {
	r.failing = true
	if !r.out.resumable() {
		r.cancel(err) // the results would be lost
	}
	r.stop(err)
}

// tally counts a result and stops the run if it is to end with the first failure.
func (r *run) tally(result *Result) {
	switch result.Outcome() {
	case Answered:
		r.stats.Answered++
		return
	case Failed:
		r.stats.Failed++
	case Unknown:
		r.stats.Unknown++
	case Malformed:
		r.stats.Malformed++
	}
	if r.FailFast {
		r.stop(errFailFast)
	}
}

var errFailFast = errors.New("stopped at the first failure")

// isDone reports whether the results of all jobs are in the output.
func (r *run) isDone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.failing
}
