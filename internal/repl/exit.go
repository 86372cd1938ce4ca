package repl

import "context"

func runExit(context.Context, *session, string) error { return errLeave }
