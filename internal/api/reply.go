package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// readReply parses the body of a completion (interface, section 2). It is strict
// where an error could hide or change an answer: the JSON, the types, the choice
// and its message. All other fields may be missing, and unknown ones are ignored.
func readReply(body []byte) (Reply, error) {
	reply := Reply{Raw: body}
	complete, err := decode(body, "", func(d *decoder) {
		d.present(func(key []byte) { d.completion(&reply.Completion, key) })
	})
	switch {
	case !complete, !utf8.Valid(body):
		return Reply{}, notJSON(body, invalidJSON(body))
	case err != nil:
		return Reply{}, err
	}
	if len(reply.Choices) == 0 {
		return Reply{}, errors.New("choices is missing or empty")
	}
	chosen := max(0, slices.IndexFunc(reply.Choices, func(c Choice) bool { return c.Index == 0 }))
	answer := reply.Choices[chosen]
	switch {
	case answer.Message == (Message{}):
		return Reply{}, fmt.Errorf("choices[%d].message is missing or empty", chosen)
	case answer.Message.Role != RoleAssistant:
		return Reply{}, fmt.Errorf("choices[%d].message.role is %.40q, want %q", chosen, answer.Message.Role, RoleAssistant)
	case strings.TrimSpace(answer.Message.Content) == "":
		return Reply{}, fmt.Errorf("choices[%d].message.content is missing or empty", chosen)
	}
	reply.Text, reply.FinishReason = answer.Message.Content, answer.FinishReason
	return reply, nil
}

// completion parses one field of a completion.
func (d *decoder) completion(c *Completion, key []byte) {
	switch string(key) {
	case "id":
		c.ID = d.text()
	case "conversation_id":
		c.ConversationID = d.text()
	case "object":
		c.Object = d.text()
	case "created":
		c.Created = d.number()
	case "model":
		c.Model = d.text()
	case "choices":
		d.array(func() { c.Choices = append(c.Choices, d.choice(len(c.Choices))) })
	case "usage":
		c.Usage = d.usage()
	default:
		d.skip()
	}
}

// choice parses one choice. Its index defaults to its position.
func (d *decoder) choice(place int) Choice {
	c := Choice{Index: place}
	d.present(func(key []byte) {
		switch string(key) {
		case "message":
			c.Message = d.message()
		case "index":
			c.Index = int(d.integer(int64(place)))
		case "finish_reason":
			c.FinishReason = d.text()
		default:
			d.skip()
		}
	})
	return c
}

func (d *decoder) message() (m Message) {
	d.object(func(key []byte) {
		switch string(key) {
		case "role":
			m.Role = d.text()
		case "content":
			m.Content = d.text()
		default:
			d.skip()
		}
	})
	return m
}

func (d *decoder) usage() *Usage {
	if d.dec.PeekKind() == 'n' {
		d.skip()
		return nil
	}
	var u Usage
	d.object(func(key []byte) {
		switch string(key) {
		case "prompt_tokens":
			u.PromptTokens = d.integer(0)
		case "completion_tokens":
			u.CompletionTokens = d.integer(0)
		case "total_tokens":
			u.TotalTokens = d.integer(0)
		default:
			d.skip()
		}
	})
	return &u
}

// notJSON describes a page that was received instead of an answer, for example
// from a captive portal.
func notJSON(body []byte, err error) error {
	if page := body[:min(len(body), MaxErrorBody)]; isHTML("", page) {
		return fmt.Errorf("the body is a web page, not JSON: %q", cut(strings.ToValidUTF8(htmlText(page), "\uFFFD"), 120))
	}
	return err
}
