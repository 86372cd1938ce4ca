package cmd

import (
	"context"

	"github.com/hobnob-cli/hobnob/internal/chat"
)

// preview prints the request that would be sent.
func (e *exchange) preview(ctx context.Context, question chat.Question) error {
	plan, err := e.asker.Plan(ctx, question)
	if err != nil {
		return err
	}
	preview, err := e.client.Preview(plan.Request)
	if err != nil {
		return err
	}
	if e.f.Global.JSON {
		headers := map[string]string{}
		for _, h := range preview.Headers {
			headers[h[0]] = h[1]
		}
		return e.f.Print.JSON(map[string]any{"version": 1, "method": preview.Method, "url": preview.URL, "headers": headers, "body": plan.Request})
	}
	if err := e.f.Print.Printf("%s %s\n", preview.Method, preview.URL); err != nil {
		return err
	}
	for _, h := range preview.Headers {
		if err := e.f.Print.Printf("%s: %s\n", h[0], h[1]); err != nil {
			return err
		}
	}
	return e.f.Print.Text("\n" + string(preview.Body) + "\n")
}
