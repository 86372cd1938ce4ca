package credential

import "testing"

func TestPastedRemovesSurroundings(t *testing.T) {
	for _, pasted := range []string{
		canary, "  " + canary + "\r\n", "\ufeff" + canary, `"` + canary + `"`, "'" + canary + "' ", "`" + canary + "`",
		"Bearer " + canary, "bearer\t" + canary, "Bearer: " + canary, "Authorization: Bearer " + canary,
		`"Authorization: Bearer ` + canary + `"`, "\x1b[200~" + canary + "\x1b[201~", "\x1b[200~Bearer " + canary + "\n\x1b[201~",
	} {
		if got := Pasted(pasted); got != canary {
			t.Errorf("Pasted(%q) is wrong", pasted)
		}
	}
}

func TestPastedPreservesToken(t *testing.T) {
	for _, token := range []string{"", `"`, "Bearer", "bearer-token", `a"b"`, "'a", "a b"} {
		if got := Pasted(token); got != token {
			t.Errorf("Pasted(%q) = %q", token, got)
		}
	}
}
