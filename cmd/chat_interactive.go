package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// interactive asks line by line until the input ends or /exit. A failed
// question does not end it.
func (e *exchange) interactive(ctx context.Context, question chat.Question) error {
	f := e.f
	f.note("asking %s; Ctrl-D or /exit leaves", first(e.profile.AgentName(question.AgentID), e.profile.Name))
	lines := readLines(f.IO.In)
	for pending := question.Text; ; {
		text := pending
		if pending = ""; text == "" {
			fmt.Fprint(f.IO.Err, "> ")
			select {
			case <-ctx.Done():
				fmt.Fprintln(f.IO.Err)
				return ctx.Err()
			case line, ok := <-lines:
				if !ok {
					fmt.Fprintln(f.IO.Err)
					return nil
				}
				text = line
			}
		}
		switch strings.TrimSpace(text) {
		case "":
			continue
		case "/exit":
			return nil
		}
		if err := e.next(ctx, &question, text); err != nil {
			if ctx.Err() != nil {
				return err
			}
			report(f, err)
		}
	}
}

// next asks one more question and moves the conversation on.
func (e *exchange) next(ctx context.Context, question *chat.Question, text string) error {
	prompt, err := chat.Prompt{Words: []string{text}}.Assemble()
	if err != nil {
		return err
	}
	question.Text = prompt
	if e.unsaved != nil {
		// Without the last answer the context would have a hole.
		if serr := e.asker.Save(ctx, e.unsaved); serr != nil {
			f := e.f
			f.warn("the last reply still cannot be saved: %v", serr)
		}
		e.unsaved = nil
	}
	if c := question.Conversation; c != nil && question.Parent == nil {
		// Another process may have gone on with it.
		if now, ferr := e.asker.History.Find(ctx, c.ID); ferr == nil {
			question.Conversation = &now
		}
	}
	answer, err := e.once(ctx, *question)
	if answer.SaveErr != nil {
		e.unsaved = &answer
	}
	var failed *chat.FailedError
	id := answer.Conversation
	if errors.As(err, &failed) {
		id = failed.Conversation
	}
	if id != "" {
		found, ferr := e.asker.History.Find(ctx, id)
		if ferr != nil {
			return errors.Join(err, ferr)
		}
		question.Conversation, question.Parent = &found, nil
	} else if err == nil {
		question.Earlier = append(question.Earlier, history.Turn{Question: prompt, Reply: answer.Reply.Text})
	}
	return err
}

// readLines delivers lines without their ends; the channel closes when the
// input does. The goroutine ends with the process: a read of a terminal cannot
// be stopped.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		reader := bufio.NewReader(in)
		for {
			line, err := reader.ReadString('\n')
			if line = strings.TrimRight(line, "\r\n"); line != "" || err == nil {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}
