package cassette

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// Player answers requests from a recording. It is safe for concurrent use. Only the
// places of the exchanges are in memory.
type Player struct {
	path string
	file *os.File
	// Incomplete is the number of an incomplete last line, which is ignored, or 0.
	Incomplete int

	origins []Agent

	mu     sync.Mutex
	index  map[key]*answers
	budget int // number of exchanges that may still be compared to find the nearest
}

// maxCompared is the maximum number of exchanges that are compared with requests that
// were not recorded, so that a batch of them does not read the file for each.
const maxCompared = 20_000

// Agent is an agent that a recorded question was sent to. Its ID is empty if the
// service chose it.
type Agent struct {
	Origin
	ID string
}

// answers are the places of the exchanges of one request, in the order of recording.
type answers struct {
	places []place
	next   int // index of the next answer
}

type place struct{ offset, size int64 }

// Replay opens the recording at path. The error names the first invalid line.
func Replay(path string) (*Player, error) {
	file, err := input.Open(path)
	if err != nil {
		return nil, replayError(path, err)
	}
	p := &Player{path: path, file: file, index: map[key]*answers{}, budget: maxCompared}
	if err := p.read(); err != nil {
		_ = file.Close()
		return nil, replayError(path, err)
	}
	return p, nil
}

func replayError(path string, err error) error {
	hint := "correct the file, or record again with --record"
	switch {
	case errors.Is(err, errNewer):
		hint = "update hobnob"
	case errors.Is(err, fs.ErrNotExist):
		hint = "to record the requests of a command: --record FILE"
	case errors.As(err, new(*fs.PathError)):
		hint = "choose another file"
	}
	return failure.Usagef(hint, "cannot replay %s: %v", path, failure.Reason(err))
}

// Close closes the file.
func (p *Player) Close() error { return p.file.Close() }

// Agents returns the agents of the recorded questions, without repetition, in the order
// of recording.
func (p *Player) Agents() []Agent { return p.origins }

func (p *Player) read() error {
	known := map[Agent]bool{}
	return p.each(func(number int, at place, l line) error {
		if l.Request == nil {
			return nil
		}
		k, err := keyOf(l.Request.Method, l.Request.Path, l.Request.Body)
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if p.index[k] == nil {
			p.index[k] = &answers{}
		}
		p.index[k].places = append(p.index[k].places, at)
		if l.Request.Body != nil && l.Origin != nil {
			agent := Agent{*l.Origin, l.Request.Body.AgentID}
			if !known[agent] {
				known[agent] = true
				p.origins = append(p.origins, agent)
			}
		}
		return nil
	})
}

// each calls fn for each line of the recording. An incomplete last line is ignored.
func (p *Player) each(fn func(number int, at place, l line) error) error {
	in := bufio.NewReaderSize(io.NewSectionReader(p.file, 0, input.NoLimit), 64<<10)
	var at place
	for number := 1; ; number++ {
		data, err := readLine(in)
		if errors.Is(err, io.EOF) && len(data) == 0 {
			if number == 1 {
				return errors.New("the file is empty")
			}
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("line %d: %w", number, err)
		}
		at.offset, at.size = at.offset+at.size, int64(len(data))
		if len(bytes.TrimSpace(data)) == 0 && number > 1 {
			continue
		}
		l, invalid := decode(data)
		switch {
		case invalid != nil && err != nil && number > 1 && !json.Valid(data):
			p.Incomplete = number
			return nil
		case invalid != nil:
			return fmt.Errorf("line %d: %w", number, invalid)
		case number == 1 && l.Format == "":
			return fmt.Errorf(`line 1: must be {"format":%q,"version":%d}`, Format, Version)
		}
		if err := fn(number, at, l); err != nil {
			return err
		}
	}
}

// readLine returns the next line with its newline, of at most maxLine bytes.
func readLine(in *bufio.Reader) ([]byte, error) {
	var all []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(all)+len(part) > maxLine {
			return nil, fmt.Errorf("larger than %d MiB", maxLine>>20)
		}
		all = append(all, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return all, err
		}
	}
}

// Answer returns the outcome of a request: the first recorded one, for the same request
// again the next, and the last as often as needed. The error is a *MissingError if there
// is none.
func (p *Player) Answer(e api.Exchange) (api.Outcome, error) {
	var body *api.Request
	if e.Request != nil {
		body = new(api.Request)
		if err := json.Unmarshal(e.Request, body); err != nil {
			return api.Outcome{}, err
		}
	}
	k, err := keyOf(e.Method, e.Target, body)
	if err != nil {
		return api.Outcome{}, err
	}
	at, ok := p.next(k)
	if !ok {
		return api.Outcome{}, p.missing(e, body)
	}
	data := make([]byte, at.size)
	if _, err := p.file.ReadAt(data, at.offset); err != nil {
		return api.Outcome{}, replayError(p.path, err)
	}
	l, err := decode(data)
	if err != nil || l.Request == nil {
		return api.Outcome{}, failure.Usagef("do not change the file while it is in use", "cannot replay %s: the file was changed", p.path)
	}
	return l.outcome(), nil
}

// next returns the place of the next answer to a request.
func (p *Player) next(k key) (place, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := p.index[k]
	if found == nil {
		return place{}, false
	}
	at := found.places[found.next]
	found.next = min(found.next+1, len(found.places)-1)
	return at, true
}

// MissingError means that a recording has no answer to a request. Nothing was sent.
type MissingError struct {
	Path    string
	Request string // the question, or method and path
	// Nearest is the most similar recorded question, or "" if there is none.
	Nearest string
	// Differs names what differs from the nearest question if not its text.
	Differs string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("no recorded answer to %s in %s", e.Request, e.Path)
}

// Failure implements failure.Explainer.
func (e *MissingError) Failure() failure.Failure {
	hint := "to record it, run the command with --record instead of --replay"
	switch {
	case e.Differs != "":
		hint = fmt.Sprintf("the question is recorded with %s; %s", e.Differs, hint)
	case e.Nearest != "":
		hint = fmt.Sprintf("the nearest recorded question is %q; %s", e.Nearest, hint)
	}
	return failure.Failure{Kind: failure.NoRecording, Hint: failure.Plain(hint)}
}

// missing returns the error for a request that is not recorded. It reads the recording
// to find the nearest question.
func (p *Player) missing(e api.Exchange, body *api.Request) error {
	missing := &MissingError{Path: p.path, Request: e.Method + " " + e.Target}
	if body == nil || len(body.Messages) == 0 {
		return missing
	}
	asked := questionOf(body)
	missing.Request = fmt.Sprintf("%q", shortened(asked))
	trigrams, best := trigramsOf(asked), minSimilarity
	// An error leaves the nearest question found so far.
	_ = p.each(func(_ int, _ place, l line) error {
		if l.Request == nil || l.Request.Body == nil {
			return nil
		}
		if !p.spend() {
			return io.EOF
		}
		recorded := questionOf(l.Request.Body)
		if recorded == asked {
			missing.Differs = differenceOf(body, l.Request.Body)
			return io.EOF
		}
		if similar := similarity(trigrams, trigramsOf(recorded)); similar > best {
			best, missing.Nearest = similar, shortened(recorded)
		}
		return nil
	})
	return missing
}

// spend reports whether another exchange may be compared.
func (p *Player) spend() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.budget--
	return p.budget >= 0
}

// differenceOf returns how a recorded request with the same question differs.
func differenceOf(asked, recorded *api.Request) string {
	if !strings.EqualFold(asked.AgentID, recorded.AgentID) {
		if recorded.AgentID == "" {
			return "no agent"
		}
		return fmt.Sprintf("another agent (%.40s)", recorded.AgentID)
	}
	return "other earlier turns"
}
