//go:build !race

package salvage

// damageStep is 1: every damage case is tested.
const damageStep = 1
