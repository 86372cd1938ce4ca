package doctor

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/credential"
)

func TestTryToken(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		want   Outcome
	}{
		"listing":            {200, `[]`, Accepted},
		"public listing":     {-2, `[]`, Open},
		"unauthorized":       {401, `{}`, Refused},
		"forbidden":          {403, `{}`, Refused},
		"no listing":         {404, `{}`, NoListing},
		"not implemented":    {501, `{}`, NoListing},
		"other listing":      {200, `{"threads":[]}`, OtherListing},
		"web page":           {200, `<html></html>`, NoService},
		"internal error":     {500, ``, Unavailable},
		"too many requests":  {429, ``, Unavailable},
		"bad request":        {400, ``, Failed},
		"invalid address":    {0, ``, Failed},
		"connection refused": {-1, ``, NotReached},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case tt.status == -2:
				case r.Header.Get("Authorization") == "":
					w.WriteHeader(http.StatusUnauthorized)
					return
				default:
					w.WriteHeader(tt.status)
				}
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
			if trial.Outcome != tt.want || (trial.Err == nil) != (tt.want == Accepted || tt.want == Open) || (trial.Path != "") != (trial.Err == nil) {
				t.Errorf("got %+v, want outcome %d", trial, tt.want)
			}
		})
	}
}
