package view

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type spentRow struct {
	Key   string `json:"key"`
	Title string `json:"title,omitempty"`
	Turns int    `json:"turns"`
	api.Usage
}

// Usage prints the tokens of a profile by group, with a bar for each group on a
// terminal.
func Usage(p *cli.Printer, profile config.Profile, by history.Grouping, spent []history.Spent) error {
	if p.WantsJSON() {
		rows := make([]spentRow, len(spent))
		for i, s := range spent {
			rows[i] = spentRow{s.Key, s.Title, s.Turns, api.Usage(s.Usage)}
		}
		return p.JSON(rows)
	}
	if len(spent) == 0 {
		p.Note("no token usage in profile %s", profile.Name)
		return nil
	}
	most, total := int64(0), int64(0)
	for _, s := range spent {
		most, total = max(most, s.TotalTokens), total+s.TotalTokens
	}
	columns := []terminal.Column{
		{Title: strings.ToUpper(string(by)), Flexible: true}, {Title: "TURNS", Right: true}, {Title: "PROMPT", Right: true},
		{Title: "COMPLETION", Right: true}, {Title: "TOTAL", Right: true},
	}
	bars := p.IO.OutTTY && !p.IO.Accessible
	if bars {
		columns = append(columns, terminal.Column{})
	}
	keys := make([]string, len(spent))
	for i, s := range spent {
		keys[i] = s.Key
	}
	cells, short := make([][]string, len(spent)), history.Shorts(keys...)
	for i, s := range spent {
		cells[i] = append([]string{groupName(profile, by, s, short)}, numbers(s)...)
		if bars {
			cells[i] = append(cells[i], bar(s.TotalTokens, most, p.IO.UTF8))
		}
	}
	if err := p.Table(columns, cells); err != nil {
		return err
	}
	p.Note("%d tokens in profile %s", total, profile.Name)
	return nil
}

// UsageCSV prints the tokens of a profile by group as CSV without formulas.
func UsageCSV(p *cli.Printer, by history.Grouping, spent []history.Spent) error {
	records := [][]string{{string(by), "title", "turns", "prompt_tokens", "completion_tokens", "total_tokens"}}
	for _, s := range spent {
		records = append(records, append([]string{inert(s.Key), inert(s.Title)}, numbers(s)...))
	}
	return cli.OutputError(csv.NewWriter(p.IO.Out).WriteAll(records))
}

// AnswersUsage prints one line with the total token usage of the answered turns.
func AnswersUsage(p *cli.Printer, turns []history.Turn) error {
	var sum history.Usage
	answered, uncounted := 0, 0
	for _, t := range turns {
		if t.State != history.Answered {
			continue
		}
		answered++
		if u := t.Service.Usage; u != nil {
			sum.PromptTokens += u.PromptTokens
			sum.CompletionTokens += u.CompletionTokens
			sum.TotalTokens += u.TotalTokens
		} else {
			uncounted++
		}
	}
	text := plural.Count(answered, "answer") + ": " + tokenSum(sum) + " tokens"
	if uncounted > 0 {
		text += fmt.Sprintf("; not reported for %d of them", uncounted)
	}
	return p.Printf("%s\n", text)
}

func tokenSum(u history.Usage) string {
	return fmt.Sprintf("%d prompt + %d completion = %d", u.PromptTokens, u.CompletionTokens, u.TotalTokens)
}

func groupName(profile config.Profile, by history.Grouping, s history.Spent, short func(id string) string) string {
	switch by {
	case history.ByAgent:
		return cmp.Or(profile.AgentName(s.Key), "(chosen by the service)")
	case history.ByModel:
		return cmp.Or(s.Key, "(not reported)")
	case history.ByConversation:
		return short(s.Key) + " " + s.Title
	}
	return s.Key
}

func numbers(s history.Spent) []string {
	return []string{strconv.Itoa(s.Turns), fmt.Sprint(s.PromptTokens), fmt.Sprint(s.CompletionTokens), fmt.Sprint(s.TotalTokens)}
}

// barWidth is the width of the longest bar, in columns.
const barWidth = 20

// bar returns a bar for n relative to most. It is not empty if n is positive.
func bar(n, most int64, unicode bool) string {
	if n <= 0 || most <= 0 {
		return ""
	}
	if !unicode {
		return strings.Repeat("#", max(1, int(n*barWidth/most)))
	}
	eighths := max(1, int(n*barWidth*8/most))
	return strings.Repeat("█", eighths/8) + string([]rune(" ▏▎▍▌▋▊▉")[eighths%8])
}

// inert returns text as one line that spreadsheets do not interpret as a formula
// (https://owasp.org/www-community/attacks/CSV_Injection).
func inert(text string) string {
	text = terminal.CleanLine(text)
	if text != "" && strings.ContainsRune("=+-@|%＝＋－＠'", []rune(text)[0]) {
		return "'" + text
	}
	return text
}
