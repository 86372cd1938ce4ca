package login

import "testing"

func TestUnquoted(t *testing.T) {
	const address = "https://chat.example.com/api/v1/"
	for _, pasted := range []string{address, " " + address + "\r", `"` + address + `"`, "'" + address + "'", "<" + address + ">", "“" + address + "”", "\x1b[200~" + address + "\x1b[201~", "` " + address + " `"} {
		if got := unquoted(pasted); got != address {
			t.Errorf("unquoted(%q) = %q", pasted, got)
		}
	}
}
