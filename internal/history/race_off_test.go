//go:build !race

package history

// damageStep is 1: every damage is tried.
const damageStep = 1
