package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/config"
)

// newTopic returns a page of the help that is no command.
func newTopic(name, short, long string) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, Long: long}
}

func newEnvironmentTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("hobnob reads these environment variables. A flag comes before a variable, and a\nvariable before the configuration file.\n\n")
	row := func(name, help string) { fmt.Fprintf(&b, "  %-20s %s\n", name, help) }
	for _, s := range config.Settings() {
		if s.Env != "" {
			row(s.Env, s.Help)
		}
	}
	for _, v := range [][2]string{
		{"HOBNOB_TOKEN", "bearer token; it comes before every stored one"},
		{"HOBNOB_CONVERSATION", "conversation that chat continues when neither -c nor -C is given"},
		{"HOBNOB_CONFIG", "configuration file (default $XDG_CONFIG_HOME/hobnob/config.yaml)"},
		{"HOBNOB_DATA_DIR", "directory of the history (default $XDG_DATA_HOME/hobnob)"},
		{"HOBNOB_STATE_DIR", "directory of drafts written in the editor (default $XDG_STATE_HOME/hobnob)"},
		{"HOBNOB_SERVE_TOKEN", "token that serve accepts; without it one is made"},
		{"NO_COLOR", "set to anything: no colour (https://no-color.org)"},
		{"CLICOLOR_FORCE", "set to anything but 0: colour on a terminal that seems to have none"},
		{"GLAMOUR_STYLE", "Markdown style when the setting style is auto"},
		{"ACCESSIBLE", "set to anything but 0: no spinner and no box drawing, for screen readers"},
		{"VISUAL, EDITOR", "editor of chat --edit and config edit"},
		{"HTTPS_PROXY, NO_PROXY", "proxy for the service, and the hosts reached without it"},
	} {
		row(v[0], v[1])
	}
	return newTopic("environment", "Environment variables", strings.TrimRight(b.String(), "\n"))
}

func newExitCodesTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("The exit code says what happened to a request.\n\n")
	for _, c := range exitCodeHelp() {
		fmt.Fprintf(&b, "  %3d  %s\n", c.code, c.help)
	}
	b.WriteString("\nWith --json a failure is one object on stderr:\n\n")
	b.WriteString(`  {"error":{"code":"auth","exit":4,"message":"…","hint":"…","status":401}}`)
	return newTopic("exit-codes", "What each exit code means", b.String())
}

type exitCode struct {
	code int
	help string
}

func exitCodeHelp() []exitCode {
	return []exitCode{
		{exitOK, "all is well"},
		{exitError, "another failure: a file, the history"},
		{exitUsage, "the command line or the configuration means nothing"},
		{exitNotFound, "no such conversation, agent or profile"},
		{exitAuth, "no token, or the service does not accept it"},
		{exitNotSent, "not sent: name, connection, TLS or proxy failed; safe to try again"},
		{exitUnknown, "outcome unknown: the service may have accepted the question"},
		{exitLimited, "the service asks to wait, or is unavailable"},
		{exitRefused, "refused by the service, or its reply was broken"},
		{exitNotSaved, "the reply was shown but could not be saved"},
		{exitInternal, "a bug in hobnob"},
		{exitHungUp, "stopped because the terminal was closed"},
		{exitInterrupted, "stopped by Ctrl-C"},
		{exitTerminated, "stopped by SIGTERM"},
	}
}

func newFormattingTopic() *cobra.Command {
	return newTopic("formatting", "What is printed where", `stdout carries the result and nothing else. Notes, the spinner and errors go to
stderr; --quiet leaves notes and spinner out.

On a terminal a reply is rendered as Markdown, at most 100 columns wide; --raw
shows it as it was written. Escape sequences and other control characters in a
reply never reach the terminal: they are shown instead. In a pipe the reply comes
byte for byte, with one newline at the end.

--json prints one object in place of the reply:

  {"version":1,"conversation":"…","turn":"…","parent":null,"agent_id":"…",
   "profile":"…","reply":"…","finish_reason":"stop","model":"…",
   "usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0},
   "service":{"id":"…","conversation_id":"…","created":0.0},
   "elapsed_ms":0,"saved":true}

Fields are added in time, but none is removed or changes its meaning within
version 1. Tables in a pipe are separated by tabs, one row a line.`)
}
