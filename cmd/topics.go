package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// newTopic returns a page of the help that is no command.
func newTopic(name, short, long string) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, Long: long}
}

func newEnvironmentTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("hobnob reads these environment variables. A flag comes before a variable, and a\nvariable before the configuration file.\n\n")
	row := func(name, help string) { fmt.Fprintf(&b, "  %-22s %s\n", name, help) }
	for _, s := range config.Settings() {
		if s.Env != "" {
			row(s.Env, s.Help)
		}
	}
	for _, v := range [][2]string{
		{"HOBNOB_TOKEN", "bearer token; it comes before every stored one"},
		{"HOBNOB_CONVERSATION", "conversation that chat continues when neither -c nor -C is given, and that context shows"},
		{"HOBNOB_CONFIG", "configuration file (default $XDG_CONFIG_HOME/hobnob/config.yaml)"},
		{"HOBNOB_DATA_DIR", "directory of the history (default $XDG_DATA_HOME/hobnob)"},
		{"HOBNOB_STATE_DIR", "directory of drafts and of what was typed in a chat (default $XDG_STATE_HOME/hobnob)"},
		{"HOBNOB_SERVE_TOKEN", "token that serve accepts; without it one is made"},
		{"NO_COLOR", "set to anything: no colour (https://no-color.org)"},
		{"CLICOLOR_FORCE", "set to anything but 0: colour on a terminal that seems to have none"},
		{"CLICOLOR", "0: no colour, unless CLICOLOR_FORCE is set"},
		{"GLAMOUR_STYLE", "Markdown style when the setting style is auto"},
		{"ACCESSIBLE", "set to anything but 0, for screen readers: plain lines, no spinner, no box drawing"},
		{"COLORFGBG", "colours of the terminal; without it the terminal is asked whether it is light"},
		{"TERM", "dumb: no colour, no pager and no line editor"},
		{"LC_ALL, LC_CTYPE, LANG", "locale; without UTF-8 replies have no colour, and signs of hobnob's own are ASCII"},
		{"HOBNOB_PAGER, PAGER", "pager for what is longer than the screen (default less); empty or cat: none"},
		{"VISUAL, EDITOR", "editor of chat --edit, templates edit and config edit; may have flags"},
		{"HTTPS_PROXY, NO_PROXY", "proxy for the service, and the hosts reached without it"},
	} {
		row(v[0], v[1])
	}
	return newTopic("environment", "Environment variables", strings.TrimRight(b.String(), "\n"))
}

func newExitCodesTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("The exit code says what happened to a request.\n\n")
	for _, c := range failure.ExitCodes() {
		fmt.Fprintf(&b, "  %3d  %s\n", c.Code, c.Help)
	}
	b.WriteString("\nWith --json a failure is one object on stderr:\n\n")
	b.WriteString(`  {"error":{"code":"auth","exit":4,"message":"…","hint":"…","status":401}}`)
	return newTopic("exit-codes", "What each exit code means", b.String())
}

func newFormattingTopic() *cobra.Command {
	return newTopic("formatting", "What is printed where", `stdout carries the result and nothing else. Notes, the spinner and errors go to
stderr; --quiet leaves notes and spinner out.

On a terminal a reply is rendered as Markdown, at most 100 columns wide; --raw
shows it as it was written. Nothing is left out: link titles, HTML and comments are
shown, and a table too wide to be read as one "Title: value" line for each cell.
Escape sequences and other control characters in a reply never reach the terminal:
they are shown instead. What is longer than the screen goes through the pager. In a
pipe the reply comes byte for byte, with one newline at the end, and the block of
--extract as it stands.

The style is that of the setting style or of GLAMOUR_STYLE. With auto it is light or
dark by COLORFGBG, else by the terminal, which is asked once, for a tenth of a second
at most, and neither in a pipe nor over ssh. NO_COLOR goes before CLICOLOR_FORCE.

--json prints one object in place of the reply:

  {"version":1,"conversation":"…","turn":"…","parent":null,"agent_id":"…",
   "profile":"…","reply":"…","finish_reason":"stop","model":"…",
   "usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0},
   "service":{"id":"…","conversation_id":"…","created":0.0},
   "elapsed_ms":0,"saved":true}

Fields are added in time, but none is removed or changes its meaning within
version 1. Tables in a pipe are separated by tabs, one row a line.`)
}
