package cmd

import (
	"slices"
	"strings"
)

// queryArgs lets a query of `conversations search` hold -word, which leaves a
// word out, without a -- before it: a query must never be an error. The flags
// that there are stay flags, and so does whatever begins with two dashes.
func queryArgs(args []string) []string {
	at := slices.Index(args, "search")
	if at < 1 || !slices.Contains([]string{"conversations", "conversation", "conv"}, args[at-1]) || slices.Contains(args, "--") {
		return args
	}
	takesValue := []string{"-a", "--agent", "--since", "--role", "--limit", "-p", "--profile", "--base-url", "--config", "--timeout"}
	flags, words := slices.Clone(args[:at+1]), []string{"--"}
	for rest := args[at+1:]; len(rest) > 0; rest = rest[1:] {
		switch arg := rest[0]; {
		case slices.Contains(takesValue, arg) && len(rest) > 1:
			flags = append(flags, arg, rest[1])
			rest = rest[1:]
		case strings.HasPrefix(arg, "--") || slices.Contains([]string{"-h", "-q", "-v"}, arg):
			flags = append(flags, arg)
		default:
			words = append(words, arg)
		}
	}
	if len(words) == 1 {
		return flags
	}
	return append(flags, words...)
}
