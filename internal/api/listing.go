package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Conversation is one record of the service's listing. The interface defines only
// its identifier. Raw is the complete record as received, with the token masked.
type Conversation struct {
	ID  string
	Raw json.RawMessage
}

// Title returns the record's title, or "".
func (c Conversation) Title() string { return c.first("title", "name") }

// AgentID returns the record's agent, or "".
func (c Conversation) AgentID() string { return c.first("agent_id", "agentId") }

// Created returns the record's creation time, which is in seconds since 1970 or in
// the form of RFC 3339. It reports false if the time is missing or invalid.
func (c Conversation) Created() (time.Time, bool) {
	fields := c.fields()
	for _, name := range []string{"created", "created_at"} {
		var text string
		if json.Unmarshal(fields[name], &text) == nil {
			if t, err := time.Parse(time.RFC3339, text); err == nil {
				return t, true
			}
		}
		if seconds, err := strconv.ParseFloat(string(fields[name]), 64); err == nil && isYear(seconds) {
			whole, part := math.Modf(seconds)
			return time.Unix(int64(whole), int64(part*1e9)).UTC(), true
		}
	}
	return time.Time{}, false
}

// isYear reports whether seconds is in the years 1 to 9999, the range of RFC 3339
// and JSON.
func isYear(seconds float64) bool {
	return seconds >= -62135596800 && seconds < 253402300800
}

func (c Conversation) fields() map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(c.Raw, &fields)
	return fields
}

func (c Conversation) first(names ...string) string {
	fields := c.fields()
	for _, name := range names {
		if text := jsonString(fields[name]); text != "" {
			return text
		}
	}
	return ""
}

// readListing parses a listing in one of five forms: an array, or an object with
// the array under conversations, data, items or results. null is an empty array,
// because many services encode it so. All records are returned in their order.
func readListing(body []byte) ([]Conversation, error) {
	if err := checkJSON(body); err != nil {
		return nil, notJSON(body, err)
	}
	records, path := body, "the body"
	if jsontext.Value(body).Kind() == '{' {
		var err error
		if records, path, err = recordsOf(body); err != nil {
			return nil, err
		}
	}
	list := []Conversation{}
	_, err := decode(records, path, func(d *decoder) {
		d.array(func() {
			raw := json.RawMessage(bytes.Clone(d.read()))
			id, err := recordID(raw, fmt.Sprintf("%s[%d]", path, len(list)))
			list, d.err = append(list, Conversation{ID: id, Raw: raw}), cmp.Or(d.err, err)
		})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// recordsOf returns the array in an object and its key, or another value of such a key
// if there is none.
func recordsOf(body []byte) (records []byte, name string, err error) {
	fields := map[string][]byte{}
	_, _ = decode(body, "", func(d *decoder) {
		d.object(func(key []byte) {
			name := string(key)
			fields[name] = bytes.Clone(d.read())
		})
	})
	for _, key := range []string{"conversations", "data", "items", "results"} {
		field, ok := fields[key]
		if jsontext.Value(field).Kind() == '[' {
			return field, key, nil
		}
		if ok && records == nil {
			records, name = field, key
		}
	}
	if records == nil {
		return nil, "", errors.New("the body has no conversations, data, items or results")
	}
	return records, name, nil
}

// recordID returns the identifier of a record; a number is returned as written.
func recordID(record []byte, path string) (string, error) {
	for _, name := range []string{"conversation_id", "id"} {
		id := ""
		_, err := decode(record, path, func(d *decoder) {
			d.present(func(key []byte) {
				switch {
				case string(key) != name:
					d.skip()
				case d.dec.PeekKind() == '0':
					id = d.number().String()
				default:
					id = d.text()
				}
			})
		})
		if id != "" || err != nil {
			return id, err
		}
	}
	return "", fmt.Errorf("%s has no conversation_id", path)
}
