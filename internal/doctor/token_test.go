package doctor

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/credential"
)

func TestTrialOfATokenHasAnOutcome(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		want   Outcome
	}{
		"a listing":        {200, `[]`, Accepted},
		"unauthorized":     {401, `{}`, Refused},
		"forbidden":        {403, `{}`, Refused},
		"no listing":       {404, `{}`, NoListing},
		"not implemented":  {501, `{}`, NoListing},
		"another listing":  {200, `{"threads":[]}`, OtherListing},
		"a web page":       {200, `<html></html>`, NoService},
		"internal error":   {500, ``, Unavailable},
		"too many":         {429, ``, Unavailable},
		"a bad request":    {400, ``, Failed},
		"a broken address": {0, ``, Failed},
		"nothing listens":  {-1, ``, NotReached},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			}))
			defer s.Close()
			o := api.Options{BaseURL: s.URL, Timeout: time.Minute}
			switch tt.status {
			case 0:
				o.BaseURL = "nowhere"
			case -1:
				s.Close()
			}
			trial := TryToken(t.Context(), o, "token", credential.SourceKeyring)
			if trial.Outcome != tt.want || (trial.Err == nil) != (tt.want == Accepted) || (trial.Path != "") != (tt.want == Accepted) {
				t.Errorf("got %+v, want outcome %d", trial, tt.want)
			}
		})
	}
}
