package cmd

import "testing"

func TestAProfileInAHintIsOneWordOfAShell(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "work": " -p work", "a-b_1.c": " -p a-b_1.c", "a b": " -p 'a b'", "$(x)": " -p '$(x)'", "it's": ` -p 'it'\''s'`,
	} {
		for _, f := range []*Factory{
			{Global: GlobalFlags{Profile: name}, Env: func(string) string { return "" }},
			{Env: func(key string) string { return map[string]string{"HOBNOB_PROFILE": name}[key] }},
		} {
			hint := "run: hobnob login" + ofProfile + ", then: hobnob resend" + ofProfile
			if got, want := f.inProfile(hint), "run: hobnob login"+want+", then: hobnob resend"+want; got != want {
				t.Errorf("%q is told as %q, want %q", name, got, want)
			}
		}
	}
}
