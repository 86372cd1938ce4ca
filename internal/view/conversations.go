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
}

// Conversations prints a list of conversations of one profile.
func Conversations(p *cli.Printer, profile config.Profile, listed []chat.Listed) error {
	if p.WantsJSON() {
		rows := make([]conversationRow, len(listed))
		for i, c := range listed {
			rows[i] = conversationRow{
				c.ID, c.Title, c.Profile, cli.OrNull(c.AgentID), c.Turns, cli.OrNull(c.Created), cli.OrNull(c.Updated), c.Where,
				append([]string{}, c.ServiceIDs...), append([]json.RawMessage{}, c.Records...),
			}
		}
		return p.JSON(rows)
	}
	if len(listed) == 0 {
		p.Note("there are no conversations yet")
		return nil
	}
	rows := make([][]string, len(listed))
	for i, c := range listed {
		agent, turns := profile.AgentName(c.AgentID), ""
		if agent == c.AgentID {
			agent = history.Short(agent)
		}
		if c.Turns > 0 {
			turns = strconv.Itoa(c.Turns)
		}
		rows[i] = []string{history.Short(c.ID), c.Title, agent, turns, when(p.IO, c.Updated), c.Where}
	}
	return p.Table([]terminal.Column{
		{Title: "ID"}, {Title: "TITLE", Flexible: true}, {Title: "AGENT"}, {Title: "TURNS", Right: true}, {Title: "UPDATED"}, {Title: "WHERE"},
	}, rows)
}
