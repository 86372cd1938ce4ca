package plural

import "fmt"

// Bytes returns a size: "512 bytes", "3.4 KiB", "10 MiB".
func Bytes(n int64) string {
	if n < 1<<10 {
		return Count(int(n), "byte")
	}
	value, unit := float64(n)/(1<<10), 0
	for units := len("KMGTPE"); value >= 1023.95 && unit < units-1; unit++ {
		value /= 1 << 10
	}
	text := fmt.Sprintf("%.1f", value)
	if whole := len(text) - 2; text[whole:] == ".0" {
		text = text[:whole]
	}
	return fmt.Sprintf("%s %ciB", text, "KMGTPE"[unit])
}
