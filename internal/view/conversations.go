package view

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type conversationRow struct {
	ID         string            `json:"id"`
	Title      string            `json:"title"`
	Profile    string            `json:"profile"`
	AgentID    *string           `json:"agent_id"`
	Turns      int               `json:"turns"`
	Created    *time.Time        `json:"created"`
	Updated    *time.Time        `json:"updated"`
	Where      string            `json:"where"`
	ServiceIDs []string          `json:"service_ids"`
	Service    []json.RawMessage `json:"service"`
	State      *history.State    `json:"state"` // null if not in the history
}

// NoConversations returns a note for a profile without conversations. It names other
// profiles that have some.
func NoConversations(profile string, counts []history.ProfileCount) string {
	if elsewhere := history.Elsewhere(counts, profile); elsewhere != "" {
		return "no conversations in profile " + profile + "; " + elsewhere
	}
	return "no conversations yet"
}

// Conversations prints a list of conversations. Profile returns a profile by its name,
// for the names of agents. If across is set, the list shows the profiles.
func Conversations(p *cli.Printer, profile func(name string) config.Profile, listed []chat.Listed, across bool) error {
	if p.WantsJSON() {
		rows := make([]conversationRow, len(listed))
		for i, c := range listed {
			rows[i] = conversationRow{
				c.ID, c.Title, c.Profile, cli.OrNull(c.AgentID), c.Turns, cli.OrNull(c.Created), cli.OrNull(c.Updated), c.Where,
				append([]string{}, c.ServiceIDs...), append([]json.RawMessage{}, c.Records...), cli.OrNull(c.State),
			}
		}
		return p.JSON(rows)
	}
	if len(listed) == 0 {
		return nil
	}
	ids, unanswered := make([]string, len(listed)), false
	for i, c := range listed {
		ids[i] = c.ID
		unanswered = unanswered || mark(c) != ""
	}
	columns := []terminal.Column{
		{Title: "ID"}, {Title: "TITLE", Flexible: true}, {Title: "AGENT"}, {Title: "TURNS", Right: true}, {Title: "UPDATED"}, {Title: "WHERE"},
	}
	// The columns in a pipe are always the same. A terminal omits an empty one.
	marked := unanswered || !p.IO.OutTTY
	if marked {
		columns = append(columns, terminal.Column{Title: "STATE"})
	}
	if across {
		columns = append(columns, terminal.Column{Title: "PROFILE"})
	}
	rows, short := make([][]string, len(listed)), history.Shorts(ids...)
	for i, c := range listed {
		agent, turns := profile(c.Profile).AgentName(c.AgentID), ""
		if agent == c.AgentID {
			agent = history.Short(agent)
		}
		if c.Turns > 0 {
			turns = strconv.Itoa(c.Turns)
		}
		rows[i] = []string{short(c.ID), c.Title, agent, turns, when(p.IO, c.Updated), c.Where}
		if marked {
			rows[i] = append(rows[i], mark(c))
		}
		if across {
			rows[i] = append(rows[i], c.Profile)
		}
	}
	return p.Table(columns, rows)
}

// mark returns the state of a conversation without an answer, and otherwise "".
func mark(c chat.Listed) string {
	if c.State == history.Answered {
		return ""
	}
	return string(c.State)
}
