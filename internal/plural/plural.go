// Package plural writes numbers of things.
package plural

import "fmt"

// Count returns a number with its noun: "1 turn", "2 turns".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
