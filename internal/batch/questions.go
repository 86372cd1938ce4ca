package batch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/schema"
	"github.com/hobnob-cli/hobnob/internal/secrets"
	"github.com/hobnob-cli/hobnob/internal/template"
)

// Defaults are used for rows that do not have their own.
type Defaults struct {
	Agent    string // alias or UUID; empty for that of the profile
	Template string // name, or empty for none
	Vars     map[string]string
	Contract *schema.Contract // asks for JSON in every row; nil for none
	// Instructions returns those of rows with an agent, an alias, a UUID or ""; nil if
	// no row has any.
	Instructions func(agent string) history.Instructions
}

// Question is the question of a row and the messages before it.
type Question struct {
	api.Request                       // without the instructions
	Instructions history.Instructions // sent first, if they have a text
}

// sent returns the request with the instructions.
func (q Question) sent() api.Request {
	request := q.Request
	if text := q.Instructions.Text; text != "" {
		request.Messages = slices.Concat([]api.Message{{Role: api.RoleUser, Content: text}}, request.Messages)
	}
	return request
}

// check returns an error if the question must not be sent because of a secret. Its row is
// in a line of an input.
func (q Question) check(ctx context.Context, guard secrets.Guard, in *Input, line int) error {
	var texts []string
	for _, m := range q.Messages {
		texts = append(texts, m.Content)
	}
	return guard.CheckRow(ctx, in.name, line, q.Instructions.Text, texts...)
}

// Questions builds the questions of rows. It is safe for concurrent use.
type Questions struct {
	profile  config.Profile
	library  template.Library
	defaults Defaults

	mu        sync.Mutex
	templates map[string]*template.Template
}

// NewQuestions returns the questions for a profile. The error is that of an unknown agent,
// template or variable in the defaults.
func NewQuestions(profile config.Profile, library template.Library, defaults Defaults) (*Questions, error) {
	q := &Questions{profile: profile, library: library, defaults: defaults, templates: map[string]*template.Template{}}
	if _, err := profile.AgentID(cmp.Or(defaults.Agent, profile.Agent)); err != nil {
		return nil, err
	}
	if defaults.Template == "" {
		return q, nil
	}
	t, err := q.template(defaults.Template)
	if err != nil {
		return nil, err
	}
	return q, t.Check(slices.Sorted(maps.Keys(defaults.Vars))...)
}

// Question returns the question of a row.
func (q *Questions) Question(row Row) (question Question, err error) {
	if q.defaults.Instructions != nil {
		question.Instructions = q.defaults.Instructions(cmp.Or(row.Agent, q.defaults.Agent))
	}
	question.Request, err = q.request(row)
	return question, err
}

// request returns the request of a row without instructions.
func (q *Questions) request(row Row) (api.Request, error) {
	request, err := q.plain(row)
	if err != nil || q.defaults.Contract == nil {
		return request, err
	}
	request.Messages = slices.Clone(request.Messages)
	last := &request.Messages[len(request.Messages)-1]
	last.Content = q.defaults.Contract.Instruct(last.Content)
	return request, nil
}

// plain returns the request of a row without a contract.
func (q *Questions) plain(row Row) (api.Request, error) {
	agent, err := q.profile.AgentID(cmp.Or(row.Agent, q.defaults.Agent, q.profile.Agent))
	if err != nil {
		return api.Request{}, err
	}
	request := api.Request{Messages: row.Messages, AgentID: agent}
	name := cmp.Or(row.Template, q.defaults.Template)
	switch {
	case len(row.Messages) > 0 && name != "":
		return api.Request{}, failure.Usagef("use a prompt, or run the batch without --template", "messages and a template cannot be used together")
	case len(row.Messages) > 0:
		return request, nil
	}
	text := row.Prompt
	if name != "" {
		text, err = q.render(name, row)
	} else if len(row.Vars) > 0 {
		err = failure.Usagef("name a template in the row, or pass --template", "vars need a template")
	}
	if err != nil {
		return api.Request{}, err
	}
	if strings.TrimSpace(text) == "" {
		return api.Request{}, failure.Usagef("", "the prompt is empty")
	}
	request.Messages = []api.Message{{Role: api.RoleUser, Content: text}}
	return request, nil
}

// render returns the prompt of a row from a template. The default variables belong to the
// default template.
func (q *Questions) render(name string, row Row) (string, error) {
	t, err := q.template(name)
	if err != nil {
		return "", err
	}
	values := map[string]string{}
	if row.Template == "" {
		maps.Copy(values, q.defaults.Vars)
	}
	maps.Copy(values, row.Vars)
	if err := t.Check(slices.Sorted(maps.Keys(values))...); err != nil {
		return "", err
	}
	if t.Needs && row.Prompt == "" {
		return "", failure.Usagef("add a prompt to the row", "template %q needs input", t.Name)
	}
	if missing := t.Missing(values); len(missing) > 0 {
		names := make([]string, len(missing))
		for i, v := range missing {
			names[i] = v.Name
		}
		return "", failure.Usagef(fmt.Sprintf("add it to vars of the row, or pass --var %s=…", names[0]), "template %q needs a value for: %s", t.Name, strings.Join(names, ", "))
	}
	return t.Render(template.Given{Words: row.Prompt}, values, api.MaxPrompt)
}

// template returns a template, which is read once.
func (q *Questions) template(name string) (*template.Template, error) {
	name = strings.ToLower(name)
	q.mu.Lock()
	defer q.mu.Unlock()
	if t, ok := q.templates[name]; ok {
		return t, nil
	}
	t, err := q.library.Find(name)
	if err == nil {
		q.templates[name] = t
	}
	return t, err
}
