package cassette

import (
	"testing"

	"github.com/hobnob-cli/hobnob/internal/api"
)

// Exchanges returns the recorded requests, without their outcomes.
func (p *Player) Exchanges(t *testing.T) (out []api.Exchange) {
	t.Helper()
	err := p.each(func(_ int, _ place, l line) error {
		if l.Request == nil {
			return nil
		}
		e := api.Exchange{Method: l.Request.Method, Target: l.Request.Path}
		if l.Request.Body != nil {
			body, err := l.Request.Body.Encode()
			if err != nil {
				return err
			}
			e.Request = body
		}
		out = append(out, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
