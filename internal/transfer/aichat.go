package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// aichatFormat is the session file of aichat (https://github.com/sigoden/aichat). It is
// YAML, which cannot be detected from its beginning.
var aichatFormat = Format{Name: "aichat", Import: readWhole(readAichat), Detect: func([]byte) bool { return true }}

// aichatSession is a session file of aichat, or the output of its command
// .info session. Both contain the compressed messages.
type aichatSession struct {
	Model      string          `yaml:"model"`
	Compressed []aichatMessage `yaml:"compressed_messages"`
	Messages   []aichatMessage `yaml:"messages"`
}

type aichatMessage struct {
	Role    string    `yaml:"role"`
	Content yaml.Node `yaml:"content"`
}

var errNotText = errors.New("content is not text")

// autoName matches the time at the beginning of a generated session name.
var autoName = regexp.MustCompile(`^([0-9]{8}T[0-9]{6})-?`)

// readAichat returns a session as one conversation. The id of a turn depends on the
// conversation and all previous turns, so that different continuations of a session
// become branches of one conversation.
func readAichat(data []byte, origin Origin) ([]history.Tree, error) {
	var session aichatSession
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&session); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, refuse("", "empty file")
		}
		return nil, refuse("", "not an aichat session: invalid YAML: %s", strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), "yaml: "))
	}
	if session.Messages == nil && session.Compressed == nil {
		return nil, refuse("", "not an aichat session: no messages")
	}
	messages := session.Compressed
	rest := session.Messages
	if len(messages) > 0 && len(rest) > 0 && rest[0].Role == "system" {
		rest = rest[1:] // a summary of the compressed messages
	}
	turns, system, err := aichatTurns(append(messages, rest...))
	if err != nil || len(turns) == 0 {
		return nil, err
	}

	name := strings.TrimSuffix(filepath.Base(origin.Name), filepath.Ext(origin.Name))
	at := origin.Time.UTC().Truncate(time.Millisecond)
	title := name
	if match := autoName.FindStringSubmatch(name); match != nil {
		if t, err := time.ParseInLocation("20060102T150405", match[1], origin.Time.Location()); err == nil && t.Year() > 1970 {
			at, title = t.UTC(), name[len(match[0]):]
		}
	}
	if name == "" || name == "-" || name == "." || title == "" {
		title = history.TitleOf(turns[0].Question)
	}
	first := join(system, turns[0].Question)
	tree := history.Tree{Conversation: history.Conversation{ID: stableID("aichat", name, first), Title: title}, Instructions: imported(system)}
	previous := tree.Conversation.ID
	for i, t := range turns {
		identity := t.Question
		if i == 0 {
			identity = first
		}
		previous = stableID("aichat", previous, identity, t.Reply)
		t.ID = previous
		t.Asked = at.Add(time.Duration(i) * time.Millisecond) // aichat does not record times
		t.Ended = t.Asked
		t.Service.Model = session.Model
		grow(&tree, t, "aichat")
	}
	return []history.Tree{tree}, nil
}

// aichatTurns pairs questions with answers and returns the text of system messages before
// the first question. The text of a later one is prepended to the next question.
func aichatTurns(messages []aichatMessage) (turns []history.Turn, first string, err error) {
	system := ""
	begin := func() {
		if len(turns) == 0 {
			first, system = system, ""
		}
	}
	for i, m := range messages {
		text, err := aichatText(m.Content)
		if err != nil {
			return nil, "", refuse(fmt.Sprintf("message %d", i+1), "%v", err)
		}
		switch m.Role {
		case "system":
			system = join(system, text)
		case "user":
			begin()
			turns = append(turns, history.Turn{Question: join(system, text)})
			system = ""
		case "assistant", "tool":
			if begin(); len(turns) == 0 {
				turns = append(turns, history.Turn{Question: "(no question)"})
			}
			last := &turns[len(turns)-1]
			last.Reply = join(last.Reply, text)
		default:
			return nil, "", refuse(fmt.Sprintf("message %d", i+1), "invalid role %.20q: want system, user, assistant or tool", m.Role)
		}
	}
	return turns, first, nil
}

// aichatText returns the text of a message, which is a string, a list of parts, or an
// object with a text and tool calls.
func aichatText(content yaml.Node) (string, error) {
	switch content.Kind {
	case 0:
		return "", nil
	case yaml.ScalarNode:
		return strings.ToValidUTF8(content.Value, "\ufffd"), nil
	case yaml.SequenceNode:
		var parts []struct {
			Type     string `yaml:"type"`
			Text     string `yaml:"text"`
			ImageURL struct {
				URL string `yaml:"url"`
			} `yaml:"image_url"`
		}
		if err := content.Decode(&parts); err != nil {
			return "", errNotText
		}
		var texts []string
		for _, part := range parts {
			switch part.Type {
			case "text":
				texts = append(texts, part.Text)
			case "image_url":
				texts = append(texts, "[image: "+shortURL(part.ImageURL.URL)+"]")
			default:
				return "", errNotText
			}
		}
		return join(texts...), nil
	case yaml.MappingNode:
		var calls struct {
			Text string `yaml:"text"`
		}
		if err := content.Decode(&calls); err != nil {
			return "", errNotText
		}
		return calls.Text, nil
	}
	return "", errNotText
}

// shortURL returns a URL, without the content if it is a data: URL.
func shortURL(url string) string {
	if head, _, found := strings.Cut(url, ","); found && strings.HasPrefix(url, "data:") {
		return head
	}
	return url
}
