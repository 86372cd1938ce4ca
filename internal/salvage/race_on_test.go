//go:build race

package salvage

// damageStep skips most damage cases, because the race detector makes each ten times
// slower.
const damageStep = 20
