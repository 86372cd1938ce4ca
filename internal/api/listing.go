package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
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
	var d decoder
	root := value{path: "the body", raw: json.RawMessage(bytes.TrimSpace(body))}
	records := root
	if root.kind() == "an object" {
		var err error
		if records, err = recordsOf(root); err != nil {
			return nil, err
		}
	}
	list := []Conversation{}
	for _, v := range d.array(records) {
		id, err := recordID(v)
		if err != nil {
			return nil, err
		}
		list = append(list, Conversation{ID: id, Raw: v.raw})
	}
	return list, d.err
}

// recordsOf returns the array in an object, or null if there is none.
func recordsOf(root value) (value, error) {
	var d decoder
	fields := d.object(value{raw: root.raw})
	var found value
	for _, name := range []string{"conversations", "data", "items", "results"} {
		v := fields.at(name)
		if v.kind() == "an array" {
			return v, nil
		}
		if found.raw == nil {
			found = v
		}
	}
	if found.raw == nil {
		return value{}, fmt.Errorf("%s has no conversations, data, items or results", root.path)
	}
	return found, nil
}

// recordID returns the identifier of a record; a number is returned as written.
func recordID(v value) (string, error) {
	var d decoder
	if v.isAbsent() {
		return "", fmt.Errorf("%s is %s, want an object", v.path, v.kind())
	}
	fields := d.object(v)
	for _, name := range []string{"conversation_id", "id"} {
		field := fields.at(name)
		if field.kind() == "a number" {
			return string(field.raw), d.err
		}
		if id := d.text(field); id != "" {
			return id, d.err
		}
	}
	if d.err != nil {
		return "", d.err
	}
	return "", fmt.Errorf("%s has no conversation_id", v.path)
}
