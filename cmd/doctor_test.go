package cmd

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// damageFile implements the command damage, which overwrites part of a file with zeros.
func damageFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: damage FILE OFFSET LENGTH")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR, 0)
	ts.Check(err)
	_, err = f.WriteAt(make([]byte, number(ts, args[2])), int64(number(ts, args[1])))
	ts.Check(err)
	ts.Check(f.Close())
}
