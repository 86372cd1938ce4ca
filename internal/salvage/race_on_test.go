//go:build race

package salvage

// damageStep leaves out most damages where each takes ten times as long.
const damageStep = 20
