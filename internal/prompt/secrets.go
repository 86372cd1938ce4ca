package prompt

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/secrets"
)

// Check returns an error if the question must not be sent because of a secret.
func (a Assembled) Check(ctx context.Context, guard secrets.Guard) error {
	var sources []secrets.Source
	for _, file := range a.Files {
		if text, err := attach.Text(file.Name, file.Data); err == nil {
			sources = append(sources, secrets.Source{Name: file.Name, Text: text})
		}
	}
	return guard.Check(ctx, secrets.Source{Name: "the question", Text: a.Text}, sources...)
}
