package cmd

// validate refuses flags that contradict each other.
func (o chatOptions) validate() error {
	const see = "see: hobnob chat --help"
	switch {
	case o.Continue && o.Conversation != "":
		return usagef(see, "--continue and --conversation exclude each other")
	case o.Title != "" && (o.Continue || o.Conversation != ""):
		return usagef(see, "--title names a new conversation; it cannot be used while continuing one")
	case o.branches() > 1:
		return usagef(see, "--at, --again and --edit-turn exclude each other")
	case o.Title != "" && o.branches() > 0:
		return usagef(see, "--title names a new conversation; it cannot be used with --at, --again or --edit-turn")
	case o.Again && (len(o.Words) > 0 || len(o.Files) > 0 || o.Edit):
		return usagef("leave the prompt out, or use --edit-turn to change it", "--again asks the last question as it was")
	case o.EditTurn != "" && (len(o.Words) > 0 || len(o.Files) > 0 || o.Edit):
		return usagef("leave the prompt out", "--edit-turn takes the prompt from the editor")
	case o.History < 0:
		return usagef(see, "--history cannot be %d; want 0 or more", o.History)
	case o.Interactive && (o.f.Global.JSON || o.DryRun):
		return usagef(see, "--interactive cannot be used with --json or --dry-run")
	case o.Interactive && !o.f.IO.InTTY:
		return usagef("leave --interactive out to ask once", "an interactive chat needs a terminal on standard input")
	}
	return nil
}

// branches counts the flags that make a branch.
func (o chatOptions) branches() int {
	n := 0
	for _, given := range []bool{o.At != "", o.Again, o.EditTurn != ""} {
		if given {
			n++
		}
	}
	return n
}
