//go:build !race

package salvage

// damageStep is 1: every damage is tried.
const damageStep = 1
