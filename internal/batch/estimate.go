package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/secrets"
)

// Estimate is what a batch would send. Its form as JSON is stable.
type Estimate struct {
	Version    int       `json:"version"`
	Rows       int       `json:"rows"`       // that would be sent
	Malformed  int       `json:"malformed"`  // rows that cannot be sent, including duplicates
	Duplicates int       `json:"duplicates"` // rows with the id of an earlier row
	Characters int       `json:"characters"` // of all messages
	Tokens     int       `json:"tokens"`     // estimated
	Problems   []Problem `json:"problems"`   // the first malformed rows
}

// Problem is why a row cannot be sent.
type Problem struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// maxProblems is the maximum number of problems in an Estimate.
const maxProblems = 100

// maxAgents is the maximum number of agents whose estimates are held in memory.
const maxAgents = 1000

// Estimator estimates what a batch would send. It sends and writes nothing.
type Estimator struct {
	Input     *Input
	Shard     Shard
	Questions *Questions
	Guard     secrets.Guard
	Asker     chat.Asker // estimates tokens from its history

	estimate Estimate
	perToken map[string]float64 // bytes per token, by agent
}

// Run reads the whole input. It must be called once.
func (e *Estimator) Run(ctx context.Context) (Estimate, error) {
	e.estimate, e.perToken = Estimate{Version: 1, Problems: []Problem{}}, map[string]float64{}
	seen, err := newIndex(ctx)
	if err != nil {
		return e.estimate, err
	}
	defer seen.close()
	rows := e.Input.rows(ctx)
	for {
		row, err := rows.Next()
		var malformed *RowError
		switch {
		case errors.Is(err, io.EOF):
			return e.estimate, nil
		case errors.As(err, &malformed):
			if e.Shard.HasMalformed() {
				e.malformed(malformed)
			}
		case err != nil:
			return e.estimate, e.Input.explain(err)
		case e.Shard.Has(row.ID):
			if err := e.row(ctx, seen, row); err != nil {
				return e.estimate, err
			}
		}
	}
}

func (e *Estimator) row(ctx context.Context, seen *index, row Row) error {
	first, added, err := seen.add(ctx, row.ID, row.Line)
	if err != nil {
		return err
	}
	if !added {
		e.estimate.Duplicates++
		e.malformed(duplicateError(row, first))
		return nil
	}
	question, err := e.Questions.Question(row)
	if err != nil {
		e.malformed(&RowError{Line: row.Line, What: err.Error()})
		return nil
	}
	if err := question.check(ctx, e.Guard, e.Input, row.Line); err != nil {
		e.malformed(&RowError{Line: row.Line, What: err.Error()})
		return nil
	}
	request := question.sent()
	perToken, ok := e.perToken[request.AgentID]
	if !ok {
		if perToken, err = e.Asker.BytesPerToken(ctx, request.AgentID); err != nil {
			return err
		}
		if len(e.perToken) >= maxAgents {
			clear(e.perToken)
		}
		e.perToken[request.AgentID] = perToken
	}
	size := 0
	for _, m := range request.Messages {
		size += len(m.Content)
		e.estimate.Characters += utf8.RuneCountInString(m.Content)
	}
	e.estimate.Rows++
	e.estimate.Tokens += chat.EstimateTokens(size, perToken)
	return nil
}

func (e *Estimator) malformed(err *RowError) {
	e.estimate.Malformed++
	if len(e.estimate.Problems) < maxProblems {
		e.estimate.Problems = append(e.estimate.Problems, Problem{Line: err.Line, Message: err.What})
	}
}

// maxShown is the maximum number of problems that Print shows.
const maxShown = 20

// Print prints the estimate, and the first malformed rows as warnings.
func (e Estimate) Print(p *cli.Printer) error {
	if p.WantsJSON() {
		return p.JSON(e)
	}
	shown := e.Problems[:min(len(e.Problems), maxShown)]
	for _, problem := range shown {
		p.Warn("line %d: %s", problem.Line, problem.Message)
	}
	if more := e.Malformed - len(shown); more > 0 {
		p.Warn("%d more malformed rows", more)
	}
	return p.Pairs([][2]string{
		{"rows", strconv.Itoa(e.Rows)},
		{"malformed", strconv.Itoa(e.Malformed)},
		{"duplicates", strconv.Itoa(e.Duplicates)},
		{"characters", strconv.Itoa(e.Characters)},
		{"tokens", fmt.Sprintf("%d (estimated)", e.Tokens)},
	})
}

// Err returns nil if all rows can be sent, otherwise an error of kind failure.Rows.
func (e Estimate) Err() error {
	if e.Malformed == 0 {
		return nil
	}
	return failure.New(failure.Rows, failure.Plain("fix them, or run the batch anyway: it reports them and sends the others"),
		fmt.Sprintf("%s cannot be sent", plural.Count(e.Malformed, "row")))
}
