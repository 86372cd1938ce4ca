package config

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// Profile is every setting of one profile with the precedence applied. A field
// holds the setting that its tag names.
type Profile struct {
	Name              string
	BaseURL           string `setting:"base_url"` // empty for the embedded service
	Agent             string `setting:"agent"`    // alias or UUID, empty when the service chooses
	Agents            map[string]string
	Timeout           time.Duration `setting:"timeout"`
	Retries           int           `setting:"retries"`
	TokenCommand      []string      `setting:"token_command"` // nil when it belongs to another origin than BaseURL
	CAFile            string        `setting:"ca_file"`
	AllowInsecureHTTP bool          `setting:"allow_insecure_http"`
	ConversationsPath string        `setting:"conversations_path"`
	IdempotencyKey    bool          `setting:"idempotency_key"`
	Style             string        `setting:"style"`
	Notify            string        `setting:"notify"`       // off, bell, osc9 or osc777
	NotifyAfter       time.Duration `setting:"notify_after"` // shortest wait that ends with a notification
	Save              bool          `setting:"history.save"`
	ContextTurns      int           `setting:"history.context_turns"`
	ContextTokens     int           `setting:"history.context_tokens"`
}

// Embedded reports whether the profile is the service inside this process.
func (p Profile) Embedded() bool { return p.BaseURL == "" }

// BuiltInAgent reports whether name is an agent that the service inside this process
// has by itself.
func (p Profile) BuiltInAgent(name string) bool {
	return p.Embedded() && (name == "guide" || name == "echo")
}

// NoBaseURLError says that a profile does not say where its service is.
type NoBaseURLError struct{ Profile string }

func (e *NoBaseURLError) Error() string { return fmt.Sprintf("profile %q has no base_url", e.Profile) }

// ActiveProfile returns the selected profile.
func (c *Config) ActiveProfile() (Profile, error) {
	name, _, err := c.Active()
	if err != nil {
		return Profile{}, err
	}
	return c.Profile(name)
}

// Profile returns the profile called name. Errors are *ValueError and *NoBaseURLError.
func (c *Config) Profile(name string) (Profile, error) {
	p := Profile{Name: name, Agents: c.Agents(name)}
	fields := reflect.ValueOf(&p).Elem()
	for i := range fields.NumField() {
		setting, ok := Lookup(fields.Type().Field(i).Tag.Get("setting"))
		if !ok {
			continue
		}
		value, err := c.Get(name, setting)
		if err != nil {
			return Profile{}, err
		}
		fields.Field(i).Set(reflect.ValueOf(value.Value))
	}
	p.CAFile = c.resolvePath(p.CAFile)
	if name == Local {
		if c.overrides("base_url") {
			setting, _ := Lookup("base_url")
			_, source := c.override(setting)
			return Profile{}, &ValueError{Key: "base_url", Value: setting.shown(p.BaseURL), Source: source, Err: fmt.Errorf("the profile %q is the built-in service and has no address", Local)}
		}
		p.BaseURL = ""
		return p, nil
	}
	if p.BaseURL == "" {
		return Profile{}, &NoBaseURLError{Profile: name}
	}
	if !c.sameOriginAsFile(name, p.BaseURL) {
		p.TokenCommand = nil
	}
	return p, nil
}

// ParseBaseURL reads an address for a profile, which may allow http:// to other
// hosts. Where only that keeps it from being one, the error says how to allow it.
func (c *Config) ParseBaseURL(profile, address string) (*url.URL, error) {
	setting, _ := Lookup("allow_insecure_http")
	insecure, err := c.Get(profile, setting)
	if err != nil {
		return nil, err
	}
	base, err := baseurl.Parse(address, insecure.Value == true)
	if _, other := baseurl.Parse(address, true); err != nil && other == nil {
		return nil, failure.WithHint(err, "%s", "in a network of your own, allow it first: hobnob config set allow_insecure_http true -p "+shell.Word(profile))
	}
	return base, err
}

// sameOriginAsFile keeps a token_command of the file from giving its token to
// an address that a flag or the environment put in place of the file's.
func (c *Config) sameOriginAsFile(profile, baseURL string) bool {
	setting, _ := Lookup("base_url")
	fromFile, err := c.FromFile(profile, setting)
	text, _ := fromFile.Value.(string)
	if err != nil || text == "" {
		return err == nil
	}
	a, errA := baseurl.Parse(text, true)
	b, errB := baseurl.Parse(baseURL, true)
	return errA == nil && errB == nil && baseurl.Origin(a) == baseurl.Origin(b)
}

// Agents returns the aliases of a profile: name → UUID as the file has it.
func (c *Config) Agents(profile string) map[string]string {
	agents := map[string]string{}
	if profile == Local {
		maps.Copy(agents, c.options.LocalAgents)
	}
	maps.Copy(agents, c.file.GetStringMapString(path("profiles", profile, "agents")))
	return agents
}

// UnknownAgentError says that a name is neither a UUID nor an alias.
type UnknownAgentError struct {
	Name, Profile string
	Known         []string // sorted
}

func (e *UnknownAgentError) Error() string {
	return fmt.Sprintf("no agent %q in profile %q", e.Name, e.Profile)
}

// AgentID returns the UUID that name stands for, as it will be sent; an empty
// name is an empty id. The error is an *UnknownAgentError or a *ValueError.
func (p Profile) AgentID(name string) (string, error) {
	if name == "" || IsUUID(name) {
		return name, nil
	}
	id, ok := p.Agents[strings.ToLower(name)]
	if !ok {
		return "", &UnknownAgentError{Name: name, Profile: p.Name, Known: p.AgentNames()}
	}
	if !IsUUID(id) {
		return "", &ValueError{Key: "agents." + name, Value: id, Source: Source{Kind: "profile", Name: p.Name}, Err: fmt.Errorf("an agent's id is a UUID")}
	}
	return id, nil
}

// AgentNames returns the aliases, sorted.
func (p Profile) AgentNames() []string { return slices.Sorted(maps.Keys(p.Agents)) }

// AgentName returns the alias of an id, or the id itself.
func (p Profile) AgentName(id string) string {
	for _, name := range p.AgentNames() {
		if strings.EqualFold(p.Agents[name], id) {
			return name
		}
	}
	return id
}

// IsUUID reports whether text is a UUID in its usual form of 36 characters.
func IsUUID(text string) bool { return len(text) == 36 && uuid.Validate(text) == nil }
