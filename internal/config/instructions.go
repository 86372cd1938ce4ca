package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxInstructions is the maximum size of instructions in bytes.
const MaxInstructions = 64 << 10

// The keys of an alias that is a mapping instead of a UUID.
const (
	agentID           = "id"
	agentInstructions = "instructions"
)

// CheckInstructions returns an error unless text is valid UTF-8 without NUL and not
// longer than MaxInstructions.
func CheckInstructions(text string) error {
	switch {
	case len(text) > MaxInstructions:
		return fmt.Errorf("must be at most %d KiB", MaxInstructions>>10)
	case !utf8.ValidString(text), strings.ContainsRune(text, 0):
		return errors.New("must be text in UTF-8 without NUL")
	}
	return nil
}

func checkInstructions(value any) error {
	text, _ := value.(string)
	return CheckInstructions(text)
}

// checkAgents rejects malformed aliases among those of a profile.
func checkAgents(aliases map[string]any) error {
	for alias, value := range aliases {
		form, ok := value.(map[string]any)
		switch text, isText := form[agentInstructions].(string); {
		case !ok:
		case form[agentID] == nil:
			return fmt.Errorf("agent %q has no id", alias)
		case form[agentInstructions] != nil && !isText:
			return fmt.Errorf("instructions of agent %q must be text", alias)
		default:
			if err := CheckInstructions(text); err != nil {
				return fmt.Errorf("instructions of agent %q %w", alias, err)
			}
		}
	}
	return nil
}

// InstructionsFor returns the instructions of a new conversation with an agent, an alias
// or a UUID, and their source: the agent with its alias, the project without a name, or
// the profile. The text is empty if there are none.
func (p Profile) InstructionsFor(agent string) (text string, source Source) {
	alias := strings.ToLower(agent)
	if IsUUID(agent) {
		alias = p.AgentName(agent)
	}
	if text := p.AgentInstructions[alias]; text != "" {
		return text, Source{Kind: "agent", Name: alias}
	}
	if p.Instructions != "" && p.Sources["instructions"].Kind == "project" {
		return p.Instructions, Source{Kind: "project"}
	}
	if p.Instructions != "" {
		return p.Instructions, Source{Kind: "profile", Name: p.Name}
	}
	return "", Source{}
}

// SetAgent adds an alias to a profile or changes it. Nil instructions leave those of an
// existing alias unchanged, and empty ones remove them.
func (d *Document) SetAgent(profile, alias, id string, instructions *string) error {
	parent, err := d.mapping(true, []string{"profiles", profile, "agents"})
	if err != nil {
		return err
	}
	keys, i := []string{"profiles", profile, "agents", alias}, index(parent, alias)
	nested := i >= 0 && parent.Content[i+1].Kind == yaml.MappingNode
	switch given := instructions != nil && *instructions != ""; {
	case !nested && !given:
		return d.Set(id, keys...)
	case !nested && i >= 0: // the UUID, with its comments, becomes a value of a mapping
		old := *parent.Content[i+1]
		parent.Content[i+1] = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{scalar(agentID), &old}}
	}
	if err := d.Set(id, append(keys, agentID)...); err != nil || instructions == nil {
		return err
	}
	if *instructions == "" {
		_, err := d.Unset(append(keys, agentInstructions)...)
		return err
	}
	return d.Set(*instructions, append(keys, agentInstructions)...)
}

// unknownOfAgents returns the keys of aliases that are not valid, as dotted paths.
func unknownOfAgents(prefix string, agents map[string]any) (unknown []string) {
	for alias, value := range agents {
		form, _ := value.(map[string]any)
		for key := range form {
			if !slices.Contains([]string{agentID, agentInstructions}, key) {
				unknown = append(unknown, prefix+alias+"."+key)
			}
		}
	}
	return unknown
}

// maxClip is the length to which Clip shortens, in bytes.
const maxClip = 200

// Clip shortens a long value for a message or a list.
func Clip(text string) string {
	if len(text) > maxClip {
		return strings.ToValidUTF8(text[:maxClip], "") + "…"
	}
	return text
}
