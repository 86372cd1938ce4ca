package cmd

import (
	"context"
	"encoding/json"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type conversationsListOptions struct {
	f *cli.Factory

	Limit   int
	Local   bool
	Deleted bool
	Agent   string
}

func newConversationsListCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsListOptions{f: f}
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List conversations, the latest first",
		Long: `List conversations, the latest first: those that the service lists, joined
with those that this machine remembers, one row for each.

WHERE tells whether a conversation is known here ("local"), only to the service
("service"), or to both. With --local nothing is asked of the service.`,
		Example: `  hobnob conversations list
  hobnob conversations list --limit 50 --local
  hobnob conversations list --json | jq -r '.[].title'`,
		Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Limit < 1 {
				return failure.Usagef("see: hobnob conversations list --help", "--limit cannot be %d; want 1 or more", opts.Limit)
			}
			return runConversationsList(cmd.Context(), opts)
		},
	}
	cmd.Flags().IntVar(&opts.Limit, "limit", 10, "most `number` of conversations")
	cmd.Flags().BoolVar(&opts.Local, "local", false, "ask nothing of the service")
	cmd.Flags().BoolVar(&opts.Deleted, "deleted", false, "list what is in the trash instead; asks nothing of the service")
	cmd.Flags().StringVarP(&opts.Agent, "agent", "a", "", "only those with this agent: the `name` of an alias, or a UUID")
	_ = cmd.RegisterFlagCompletionFunc("agent", complete{f}.agents)
	_ = cmd.RegisterFlagCompletionFunc("limit", cobra.NoFileCompletions)
	return cmd
}

// conversationRow is one row of the list and its form in JSON.
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

	order time.Time
}

func runConversationsList(ctx context.Context, opts conversationsListOptions) error {
	f := opts.f
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	agentID, err := profile.AgentID(opts.Agent)
	if err != nil {
		return err
	}
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	var records []api.Conversation
	if !opts.Local && !opts.Deleted {
		if records, err = listFromService(ctx, f, profile, opts.Limit); err != nil {
			return err
		}
	}
	filter := history.Filter{Profile: profile.Name, AgentID: agentID, Deleted: opts.Deleted, Limit: opts.Limit}
	rows, err := joinConversations(ctx, store, profile, records, filter, opts.Local || opts.Deleted)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.Print.JSON(rows)
	}
	if len(rows) == 0 {
		f.Print.Note("there are no conversations yet")
		return nil
	}
	return printConversations(f, profile, rows)
}

func listFromService(ctx context.Context, f *cli.Factory, profile config.Profile, limit int) ([]api.Conversation, error) {
	client, err := f.Client(ctx, profile, false)
	if err != nil {
		return nil, err
	}
	stop := f.Print.Wait("listing conversations")
	defer stop()
	records, err := client.Conversations(ctx, limit)
	if err != nil {
		again := failure.Of(err)
		if again.Hint.IsZero() {
			again.Hint = failure.Plain("ask again")
		}
		if again.Kind.Exit() != failure.Usage.Exit() {
			return nil, failure.WithHint(err, "%s; what this machine remembers: %s", again.Hint, failure.Run("hobnob conversations list --local"))
		}
	}
	return records, err
}

// joinConversations makes one row of each conversation: the service's records
// that belong to one local conversation collapse into it.
func joinConversations(ctx context.Context, store *history.Store, profile config.Profile, records []api.Conversation, filter history.Filter, localOnly bool) ([]conversationRow, error) {
	rows := []conversationRow{}
	at := map[string]int{} // local id → row
	now := time.Now()
	add := func(c history.Conversation) (int, error) {
		if i, ok := at[c.ID]; ok {
			return i, nil
		}
		ids, err := store.Services(ctx, c.ID)
		if err != nil {
			return 0, err
		}
		// What the service has on later pages was not asked for: a conversation
		// that it answered counts as known to it unless the listing is complete.
		where := "local"
		if len(ids) > 0 && (localOnly || len(records) >= filter.Limit) {
			where = "both"
		}
		created, updated, order := c.Created, c.Updated, c.Updated
		if history.InFuture(updated, now) {
			order = time.Time{} // last, as the history lists it
		}
		rows = append(rows, conversationRow{
			ID: c.ID, Title: c.Title, Profile: c.Profile, AgentID: cli.OrNull(c.AgentID), Turns: c.Turns,
			Created: &created, Updated: &updated, order: order, Where: where, ServiceIDs: nonNil(ids), Service: []json.RawMessage{},
		})
		at[c.ID] = len(rows) - 1
		return at[c.ID], nil
	}

	var ids []string
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	known, err := store.ByService(ctx, profile.Name, ids)
	if err != nil {
		return nil, err
	}
	local, err := store.List(ctx, filter)
	if err != nil {
		return nil, err
	}
	for _, c := range local {
		if _, err := add(c); err != nil {
			return nil, err
		}
	}
	last := now
	for _, r := range records {
		c, ok := known[r.ID]
		if !ok {
			row := serviceRow(profile, r)
			if row.Updated != nil {
				last = *row.Updated
			}
			row.order = last // a record without a time stands where the listing has it
			rows = append(rows, row)
			continue
		}
		if c.Deleted.IsZero() == filter.Deleted {
			continue // in the trash, and asked for what is not
		}
		i, err := add(c)
		if err != nil {
			return nil, err
		}
		if !rows[i].order.IsZero() {
			last = rows[i].order
		}
		rows[i].Where, rows[i].Service = "both", append(rows[i].Service, r.Raw)
	}
	if filter.AgentID != "" {
		kept := rows[:0]
		for _, row := range rows {
			if row.AgentID != nil && strings.EqualFold(*row.AgentID, filter.AgentID) {
				kept = append(kept, row)
			}
		}
		rows = kept
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].order.After(rows[j].order) })
	return rows[:min(len(rows), filter.Limit)], nil
}

// serviceRow is a conversation that only the service knows.
func serviceRow(profile config.Profile, r api.Conversation) conversationRow {
	row := conversationRow{
		ID: r.ID, Title: r.Title(), Profile: profile.Name, AgentID: cli.OrNull(r.AgentID()), Where: "service",
		ServiceIDs: []string{r.ID}, Service: []json.RawMessage{r.Raw},
	}
	if created, ok := r.Created(); ok {
		row.Created, row.Updated = &created, &created
	}
	return row
}

func nonNil(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}

func printConversations(f *cli.Factory, profile config.Profile, rows []conversationRow) error {
	now := time.Now()
	cells := make([][]string, len(rows))
	for i, row := range rows {
		agent := ""
		if row.AgentID != nil {
			if agent = profile.AgentName(*row.AgentID); agent == *row.AgentID {
				agent = history.Short(agent)
			}
		}
		updated, turns := "", ""
		if row.Updated != nil {
			updated = row.Updated.Format(time.RFC3339)
			if f.IO.OutTTY {
				updated = duration.Ago(*row.Updated, now)
			}
		}
		if row.Turns > 0 {
			turns = strconv.Itoa(row.Turns)
		}
		cells[i] = []string{terminal.CleanLine(history.Short(row.ID)), row.Title, agent, turns, updated, row.Where}
	}
	return cli.OutputError(f.IO.Table([]terminal.Column{
		{Title: "ID"}, {Title: "TITLE", Flexible: true}, {Title: "AGENT"}, {Title: "TURNS", Right: true}, {Title: "UPDATED"}, {Title: "WHERE"},
	}, cells))
}
