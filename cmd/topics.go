package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/docs"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// newTopic returns a help page that is not a command.
func newTopic(name, short, long string) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, Long: long}
}

func newScriptingTopic() *cobra.Command {
	return newTopic("scripting", "Use hobnob in scripts", `stdout carries the answer and nothing else; the exit code shows what happened.
hobnob asks nothing if standard input is not a terminal.

  answer=$(hobnob chat -q "name three rivers") || exit

  Exit codes      5: not sent, safe to retry. 6: the service may have accepted the question; a retry may ask it twice. See hobnob help exit-codes
  JSON            --json prints results and errors as JSON; --jq EXPRESSION prints a part of it, without the program jq. See hobnob help formatting
  JSON replies    chat --schema FILE asks until the reply fits a JSON Schema
  Many questions  batch asks the rows of a file concurrently; --resume continues a stopped batch and sends no row twice; --shard shares it among machines. See hobnob batch --help
  Unanswered      chat --detach and wait ask in the background; resend retries
  Test offline    --record FILE saves requests and answers, and --replay FILE answers from it; the command replay compares two agents
  In CI           HOBNOB_BASE_URL and HOBNOB_TOKEN; see hobnob help environment

  hobnob chat --jq .usage.total_tokens "name three rivers"
  hobnob batch questions.jsonl -o answers.jsonl --resume

More: hobnob chat -p local "how do I resume a batch?", and docs/scripting.md,
docs/batch.md and docs/recipes.md in the source.`)
}

func newEnvironmentTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("hobnob reads these environment variables. Flags override variables, and variables\noverride the configuration file.\n\n")
	row := func(name, help string) { fmt.Fprintf(&b, "  %-22s  %s\n", name, help) }
	for _, s := range config.Settings() {
		if s.Env != "" {
			row(s.Env, s.Help)
		}
	}
	for _, v := range [][2]string{
		{"HOBNOB_TOKEN", "bearer token; overrides stored tokens"},
		{"HOBNOB_CONVERSATION", "conversation that chat continues without -c or -C, and that context shows"},
		{"HOBNOB_CONFIG", "configuration file (default $XDG_CONFIG_HOME/hobnob/config.yaml)"},
		{"HOBNOB_DATA_DIR", "directory of the history (default $XDG_DATA_HOME/hobnob)"},
		{"HOBNOB_STATE_DIR", "directory of drafts and of the input history (default $XDG_STATE_HOME/hobnob)"},
		{"HOBNOB_PROJECT", "if off, project files are ignored; see hobnob trust --help"},
		{"HOBNOB_RECORD", "file to which all requests and answers are appended, as with --record"},
		{"HOBNOB_REPLAY", "recorded file that answers all requests, as with --replay"},
		{"HOBNOB_SERVE_TOKEN", "token that serve accepts, at least 16 characters (default: random)"},
		{"NO_COLOR", "if set, no colour (https://no-color.org)"},
		{"CLICOLOR_FORCE", "if set and not 0, colour even if the terminal does not seem to support it"},
		{"CLICOLOR", "if 0, no colour, unless CLICOLOR_FORCE is set"},
		{"GLAMOUR_STYLE", "Markdown style if the setting style is auto"},
		{"ACCESSIBLE", "if set and not 0, plain lines for screen readers: no spinner, no box drawing"},
		{"COLORFGBG", "colours of the terminal; if not set, the terminal is queried for its background"},
		{"TERM", "if dumb, no colour, no pager and no line editor"},
		{"LC_ALL, LC_CTYPE, LANG", "locale; without UTF-8, replies have no colour and hobnob's symbols are ASCII"},
		{"HOBNOB_PAGER, PAGER", "pager for output longer than the screen (default less); none if empty or cat"},
		{"VISUAL, EDITOR", "editor of chat --edit, templates edit and config edit; may include flags"},
		{"HTTPS_PROXY, NO_PROXY", "proxy for the service, and hosts to connect to without it"},
	} {
		row(v[0], v[1])
	}
	return newTopic("environment", "Environment variables", strings.TrimRight(b.String(), "\n"))
}

func newExitCodesTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("The exit code shows what happened to a request.\n\n")
	for _, c := range failure.ExitCodes() {
		fmt.Fprintf(&b, "  %3d  %s\n", c.Code, c.Help)
	}
	b.WriteString("\nWith --json, a failure is one object on stderr:\n\n")
	b.WriteString(`  {"error":{"code":"auth","exit":4,"message":"…","hint":"…","status":401},
   "version":1}`)
	return newTopic("exit-codes", "Exit codes", b.String())
}

// fieldsHere is replaced with the list of fields when the topic is shown, because reading
// the schemas takes time.
const fieldsHere = "  (fields)"

// fieldList returns the documents and their fields, indented.
func fieldList() string {
	documents, err := docs.Documents()
	if err != nil {
		return "  " + err.Error()
	}
	var b strings.Builder
	for _, d := range documents {
		commands := strings.Join(d.Commands, ", ")
		if d.Array {
			commands += " (array)"
		}
		if d.Commands[0] == "*" {
			commands = "every command, on stderr"
		}
		b.WriteString(terminal.Wrap("  "+commands, pageWidth, 2) + "\n" + terminal.Wrap(strings.Repeat(" ", 6)+strings.Join(d.Fields, ", "), pageWidth, 6) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func newFormattingTopic() *cobra.Command {
	return newTopic("formatting", "Output formats", `stdout carries the result and nothing else. Notes, the spinner and errors go to
stderr; --quiet suppresses notes and the spinner.

On a terminal, replies are rendered as Markdown, up to 100 columns wide; --raw
prints them unrendered. Nothing is omitted: link titles, HTML and comments are
shown, and a table that is too wide becomes one "Title: value" line per cell.
Escape sequences and other control characters in a reply are shown as visible text
and never reach the terminal. Output longer than the screen opens in the pager.
In a pipe, a reply or an extracted block is printed unchanged, with one newline at
the end.

The setting style or GLAMOUR_STYLE selects the style. With auto, COLORFGBG decides
between light and dark. If it is not set, the terminal is queried once, for up to
0.1 seconds, but not in a pipe or over ssh. NO_COLOR overrides CLICOLOR_FORCE.

--json prints one object instead of the reply:

  {"version":1,"conversation":"…","turn":"…","parent":null,"agent_id":"…",
   "profile":"…","reply":"…","finish_reason":"stop","model":"…",
   "usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0},
   "service":{"id":"…","conversation_id":"…","created":0.0},
   "elapsed_ms":0,"saved":true}

With several agents, chat prints an array of these, in the order of the flags; the
element of an agent that did not answer is {"agent_id":"…","error":{…}}.

conversations list prints an array of

  {"id":"…","title":"…","profile":"…","agent_id":"…","turns":1,"created":"…",
   "updated":"…","where":"both","service_ids":["…"],"service":[…],
   "state":"answered"}

where is "local", "service" or "both"; state is "answered", "pending", "unknown" or
"failed", or null if only the service has the conversation. In the output of status,
"other_profiles" is an array of {"profile":"…","conversations":1}.

--jq filters this JSON with an expression of the jq language and prints each
result on a line: strings unquoted, other values as JSON. It implies --json. The
expression is checked before anything is sent, and cannot read the environment or
files.

  hobnob chat --jq .reply "name three rivers"
  hobnob conversations list --jq '.[].title'

The fields of each command; those of a nested object follow it:

`+fieldsHere+`

The JSON Schemas of all documents are in docs/schemas. Each object has the version
of its schema, except the output of the command version. Within version 1, fields
may be added, but none is removed or changes its meaning.
In a pipe, tables have one row per line, with columns separated by tabs.`)
}
