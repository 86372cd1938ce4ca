package batch

import (
	"encoding/json"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Result is one row of the output: an answer, or an error. Its form is stable.
type Result struct {
	// ID is that of the input row. It is null for a malformed row and for a second row
	// with the same id, so that each id is in the output at most once.
	ID   *string `json:"id"`
	Line int     `json:"line,omitempty"` // of an input row without ID
	*Answer
	Error *failure.Report `json:"error,omitempty"`
	Shard string          `json:"shard,omitempty"` // as in 3/8
}

// Answer is the part of a Result that an error does not have.
type Answer struct {
	Reply        string         `json:"reply"`
	AgentID      *string        `json:"agent_id"`
	FinishReason string         `json:"finish_reason"`
	Model        string         `json:"model"`
	Usage        *api.Usage     `json:"usage"`
	Service      cli.ServiceIDs `json:"service"`
	ElapsedMS    int64          `json:"elapsed_ms"`
	Attempts     int            `json:"attempts"`
	// Data is the JSON document in the reply, if the batch has a contract.
	Data json.RawMessage `json:"data,omitempty"`
	// Conversation and Turn are the ids in the history, if the row is saved.
	Conversation string `json:"conversation,omitempty"`
	Turn         string `json:"turn,omitempty"`
}

// The states of an error; see chat.FailedError.
const (
	stateFailed  = "failed"  // certainly not accepted
	stateUnknown = "unknown" // may have been accepted
)

// Outcome is what happened to a row.
type Outcome int

// The outcomes.
const (
	Answered  Outcome = iota
	Failed            // certainly not accepted by the service; a later run may send it again
	Unknown           // may have been accepted; sent again only on request
	Malformed         // cannot be sent
)

// Outcome returns the outcome of the row.
func (r Result) Outcome() Outcome {
	switch {
	case r.ID == nil:
		return Malformed
	case r.Error == nil:
		return Answered
	case r.Error.State == stateUnknown:
		return Unknown
	}
	return Failed
}

// newAnswer returns the Answer of a reply.
func newAnswer(reply api.Reply, agentID string, elapsed time.Duration, attempts int) *Answer {
	return &Answer{
		Reply: reply.Text, AgentID: cli.OrNull(agentID), FinishReason: reply.FinishReason, Model: reply.Model, Usage: reply.Usage,
		Service: cli.NewServiceIDs(reply), ElapsedMS: elapsed.Milliseconds(), Attempts: attempts,
	}
}

// encode returns the row as one line of JSON. It uses the memory of buffer.
func (r *Result) encode(buffer []byte) ([]byte, error) { return cli.EncodeJSON(buffer, r) }

// decodeResult parses a row of an output, except for its answer.
func decodeResult(line []byte) (Result, error) {
	var row struct {
		ID    *string         `json:"id"`
		Line  int             `json:"line"`
		Reply *string         `json:"reply"`
		Error *failure.Report `json:"error"`
		Shard string          `json:"shard"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return Result{}, errNotResult
	}
	if (row.Reply == nil) == (row.Error == nil) || row.ID == nil && row.Error == nil || row.ID != nil && *row.ID == "" {
		return Result{}, errNotResult
	}
	return Result{ID: row.ID, Line: row.Line, Error: row.Error, Shard: row.Shard}, nil
}
