package credential

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestTokenCommandOutput(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	hour := now.Add(time.Hour)
	for name, tt := range map[string]struct {
		output string
		want   string    // the token
		expiry time.Time // zero: none
	}{
		"plain":                      {canary + "\n", canary, time.Time{}},
		"plain with other lines":     {canary + "\n{\"expires_in\":1}\n", canary, time.Time{}},
		"OAuth 2.0":                  {`{"access_token":"` + canary + `","token_type":"Bearer","expires_in":3600,"refresh_token":"r"}`, canary, hour},
		"seconds in a string":        {`{"access_token":"` + canary + `","expires_in":"3600"}`, canary, hour},
		"seconds with a fraction":    {`{"access_token":"` + canary + `","expires_in":3600.0}`, canary, hour},
		"Go":                         {`{"access_token":"` + canary + `","expiry":"2026-03-01T14:00:00.5+01:00"}`, canary, hour.Add(500 * time.Millisecond)},
		"Azure":                      {`{"accessToken":"` + canary + `","expiresOn":"2000-01-01 00:00:00.000000","expires_on":1772370000}`, canary, hour},
		"Azure, local time":          {`{"accessToken":"` + canary + `","expiresOn":"` + hour.Local().Format("2006-01-02 15:04:05.000000") + `"}`, canary, hour},
		"Google Cloud":               {"{\n  \"configuration\": {},\n  \"credential\": {\n    \"access_token\": \"" + canary + "\",\n    \"token_expiry\": \"2026-03-01T13:00:00Z\"\n  }\n}\n", canary, hour},
		"Google Cloud, access token": {`{"account":"me","expiry":{"datetime":"2026-03-01 13:00:00"},"token":"` + canary + `"}`, canary, time.Time{}},
		"Kubernetes":                 {`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{},"status":{"expirationTimestamp":"2026-03-01T13:00:00Z","token":"` + canary + `"}}`, canary, hour},
		"AWS CodeArtifact":           {`{"authorizationToken":"` + canary + `","expiration":"2026-03-01T13:00:00+00:00"}`, canary, hour},
		"AWS CodeArtifact, seconds":  {`{"authorizationToken":"` + canary + `","expiration":1772370000.5}`, canary, hour.Add(500 * time.Millisecond)},
		"byte order mark and spaces": {"\ufeff \r\n{\"token\": \"" + canary + "\"}\r\n", canary, time.Time{}},
		"spaces around the token":    {`{"token":" ` + canary + ` "}`, "", time.Time{}},
		"two tokens":                 {`{"token":"other","access_token":"` + canary + `"}`, canary, time.Time{}},
		"empty first token":          {`{"access_token":"","token":"` + canary + `","status":{"token":""}}`, canary, time.Time{}},
		"status is a text":           {`{"status":"ok","token":"` + canary + `"}`, canary, time.Time{}},
		"expired":                    {`{"token":"` + canary + `","expires_in":-5}`, canary, now.Add(-5 * time.Second)},
		"huge number of seconds":     {`{"token":"` + canary + `","expires_in":8999999999}`, canary, now.Add(maxLifetime)},
		"too huge":                   {`{"token":"` + canary + `","expires_in":1e300}`, canary, time.Time{}},
		"milliseconds":               {`{"token":"` + canary + `","expires_at":1772370000000}`, canary, time.Time{}},
		"no number":                  {`{"token":"` + canary + `","expires_in":"NaN"}`, canary, time.Time{}},
		"no time":                    {`{"token":"` + canary + `","expires_at":"tomorrow","expires_in":[3600]}`, canary, time.Time{}},
		"absolute time first":        {`{"token":"` + canary + `","expires_in":1,"expires_at":"2026-03-01T13:00:00Z"}`, canary, hour},

		"empty object":        {`{}`, "", time.Time{}},
		"null":                {`{"token":null}`, "", time.Time{}},
		"number":              {`{"token":5}`, "", time.Time{}},
		"other case":          {`{"Token":"` + canary + `"}`, "", time.Time{}},
		"cut off":             {`{"token":"` + canary + `"`, "", time.Time{}},
		"one line of many":    {"{\n\"token\":\n", "", time.Time{}},
		"text after it":       {`{"token":"` + canary + `"} ` + canary, "", time.Time{}},
		"prefix in the token": {`{"token":"Bearer ` + canary + `"}`, "", time.Time{}},
		"control character":   {`{"token":"` + canary + `\n"}`, "", time.Time{}},
		"invalid UTF-8":       {"{\"token\":\"" + canary + "\xff\"}", "", time.Time{}},
		"too long":            {`{"token":"` + strings.Repeat("x", MaxLength+1) + `"}`, "", time.Time{}},
		"array":               {`[{"token":"` + canary + `"}]` + " x", "", time.Time{}},
		"endless":             {`{"token":"` + strings.Repeat(canary, maxOutput)[:maxOutput], "", time.Time{}},
		"nested":              {strings.Repeat(`{"status":`, 6000), "", time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := parseOutput(tt.output, now)
			if token.Reveal() != tt.want {
				t.Errorf("got the token %q, want %q", token.Reveal(), tt.want)
			}
			if (err != nil) != (tt.want == "") || err != nil && !errors.Is(err, ErrInvalid) {
				t.Errorf("got error %v", err)
			}
			if err != nil {
				wantSilent(t, err)
			}
			if tt.expiry.IsZero() != token.until.IsZero() || !tt.expiry.IsZero() && !token.until.Equal(tt.expiry.Add(-early)) {
				t.Errorf("used until %v, want %v before %v", token.until, early, tt.expiry)
			}
		})
	}
}

func FuzzTokenCommandOutput(f *testing.F) {
	for _, output := range []string{
		canary + "\n", `{"access_token":"` + canary + `","expires_in":3600}`, `{"status":{"token":"x","expirationTimestamp":"2026-03-01T13:00:00Z"}}`,
		`{"credential":{"token":"a"},"expires_on":"1772370000"}`, "{", `{"token":"` + canary,
	} {
		f.Add(output)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, output string) {
		token, err := parseOutput(output, now)
		switch {
		case err == nil && (Validate(token.Reveal()) != nil || token.Source() != SourceCommand):
			t.Errorf("accepted the token %q from %q", token.Reveal(), token.Source())
		case err != nil && (!errors.Is(err, ErrInvalid) || token != Token{}):
			t.Errorf("got the token %q and %v", token.Reveal(), err)
		case err != nil && len(output) > 40 && strings.Contains(err.Error(), output[:40]):
			t.Errorf("the error shows the output: %v", err)
		}
	})
}
