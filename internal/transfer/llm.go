package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// llmFormat is the output of llm logs --json (https://llm.datasette.io).
var llmFormat = Format{
	Name:   "llm",
	Import: readWhole(readLLM),
	Detect: func(head []byte) bool { return bytes.HasPrefix(head, []byte("[")) },
}

// llmRow is a response in the output of llm logs --json
// (https://llm.datasette.io/en/stable/logging.html). The complete object is stored as
// the raw response of the turn.
type llmRow struct {
	ID              string `json:"id"`
	Model           string `json:"model"`
	ResolvedModel   string `json:"resolved_model"`
	Prompt          string `json:"prompt"`
	System          string `json:"system"`
	SystemFragments []struct {
		Content string `json:"content"`
	} `json:"system_fragments"`
	Response         string  `json:"response"`
	ConversationID   string  `json:"conversation_id"`
	ConversationName string  `json:"conversation_name"`
	DurationMS       float64 `json:"duration_ms"`
	DateTime         string  `json:"datetime_utc"`
	InputTokens      *int64  `json:"input_tokens"`
	OutputTokens     *int64  `json:"output_tokens"`

	raw   []byte
	asked time.Time
}

// llmTimes are the layouts of datetime_utc; older versions write no offset.
var llmTimes = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05"}

// maxDuration is the maximum duration of an answer, in milliseconds; longer ones are cut.
const maxDuration = 24 * 60 * 60 * 1000

// readLLM returns a conversation for each conversation id. Its responses are chained in
// chronological order.
func readLLM(data []byte, _ Origin) ([]history.Tree, error) {
	rows, err := readLLMRows(data)
	if err != nil {
		return nil, err
	}
	// The ids are ULIDs, which sort by time within a millisecond.
	slices.SortStableFunc(rows, func(a, b llmRow) int {
		return cmp.Or(a.asked.Compare(b.asked), cmp.Compare(a.ID, b.ID))
	})
	byConversation := map[string][]llmRow{}
	var order []string
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row.ID] {
			continue
		}
		seen[row.ID] = true
		key := cmp.Or(row.ConversationID, row.ID)
		if byConversation[key] == nil {
			order = append(order, key)
		}
		byConversation[key] = append(byConversation[key], row)
	}
	trees := make([]history.Tree, len(order))
	for i, key := range order {
		trees[i] = llmTree(key, byConversation[key])
	}
	return trees, nil
}

func readLLMRows(data []byte) ([]llmRow, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var raws []json.RawMessage
	if err := decoder.Decode(&raws); err != nil {
		if errors.As(err, new(*json.UnmarshalTypeError)) {
			return nil, refuse("", "not a list of llm responses")
		}
		return nil, refuse("", "invalid JSON: %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, refuse("", "unexpected data after the end")
	}
	rows := make([]llmRow, len(raws))
	for i, raw := range raws {
		path := fmt.Sprintf("[%d]", i)
		row := &rows[i]
		err := json.Unmarshal(raw, row)
		var wrong *json.UnmarshalTypeError
		switch {
		case errors.As(err, &wrong):
			return nil, refuse(strings.TrimSuffix(path+"."+wrong.Field, "."), "cannot be a %s", wrong.Value)
		case err != nil:
			return nil, refuse(path, "%v", err)
		case row.ID == "":
			return nil, refuse(path+".id", "is missing")
		}
		var compact bytes.Buffer
		_ = json.Compact(&compact, raw) // raw is valid JSON
		row.raw = compact.Bytes()
		for _, layout := range llmTimes {
			if row.asked, err = time.Parse(layout, row.DateTime); err == nil {
				break
			}
		}
		if err != nil {
			return nil, refuse(path+".datetime_utc", "invalid time %.40q", row.DateTime)
		}
		row.asked = row.asked.UTC().Truncate(time.Millisecond)
	}
	return rows, nil
}

// system returns the system prompt of a response.
func (r llmRow) system() string {
	var texts []string
	for _, fragment := range r.SystemFragments {
		texts = append(texts, fragment.Content)
	}
	return join(append(texts, r.System)...)
}

// llmTree chains responses. A response without a prompt, as after a tool call, continues
// the previous turn. The system prompt of the first response becomes the instructions,
// and a different one later is prepended to the first question that it applies to.
func llmTree(key string, rows []llmRow) history.Tree {
	tree := history.Tree{Conversation: history.Conversation{ID: stableID("llm", key), Title: rows[0].ConversationName}}
	if tree.Conversation.Title == "" {
		tree.Conversation.Title = history.TitleOf(rows[0].Prompt)
	}
	system := rows[0].system()
	tree.Instructions = imported(system)
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Prompt == "" {
			n++
		}
		first, prompt := rows[0], rows[0].Prompt
		if next := first.system(); next != system {
			system = next
			prompt = join(system, prompt)
		}
		t := history.Turn{ID: stableID("llm", key, first.ID), Question: prompt, Asked: first.asked}
		var raws [][]byte
		for _, row := range rows[:n] {
			t.Reply = join(t.Reply, row.Response)
			t.Ended = row.asked.Add(time.Duration(min(maxDuration, max(0, row.DurationMS))) * time.Millisecond)
			t.Service.Model = cmp.Or(row.ResolvedModel, row.Model)
			raws = append(raws, row.raw) // one line for each response
			if row.InputTokens != nil || row.OutputTokens != nil {
				var none int64
				usage := cmp.Or(t.Service.Usage, &history.Usage{})
				usage.PromptTokens += max(0, *cmp.Or(row.InputTokens, &none))
				usage.CompletionTokens += max(0, *cmp.Or(row.OutputTokens, &none))
				usage.TotalTokens = usage.PromptTokens + usage.CompletionTokens
				t.Service.Usage = usage
			}
		}
		t.Service.Response = bytes.Join(raws, []byte("\n"))
		grow(&tree, t, "llm")
		rows = rows[n:]
	}
	return tree
}
