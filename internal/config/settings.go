package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	slashpath "path"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/duration"
)

// Setting is one row of the table of settings. Reading, `config`, completion and the
// documentation use this table.
type Setting struct {
	Key     string
	Help    string // one line, lower case, without a full stop
	Default any    // of the setting's type: string, bool, int, time.Duration or []string
	Env     string // environment variable that sets it, if any
	Flag    string // flag that sets it, if any, without dashes
	// Connection settings belong to one service: `config set` writes them to the
	// profile, and the others to the top level of the file.
	Connection bool
	// OneOrigin settings apply only to the origin of the base_url in the same
	// mapping of the file, not to one from a flag or variable.
	OneOrigin bool
	// Values are offered by completion, and so are files if File is set. check may
	// allow other values.
	Values []string
	File   bool
	// check rejects invalid values of the right type; it may be nil.
	check func(value any) error
}

// The values of the setting secrets.
const (
	SecretsRefuse = "refuse"
	SecretsWarn   = "warn"
	SecretsOff    = "off"
)

// ProfileKey is the key of the setting that selects the profile. Only this setting
// cannot be set inside a profile.
const ProfileKey = "profile"

// templatePaths is the key of the setting with the directories of shared templates.
const templatePaths = "templates.paths"

// Settings returns the table of settings in display order.
func Settings() []Setting {
	return []Setting{
		{Key: ProfileKey, Help: "profile used when -p is not given", Default: "", Env: "HOBNOB_PROFILE", Flag: "profile", check: checkName},
		{Key: "base_url", Help: "address of the service, including any path prefix, without /api/v1", Default: "", Env: "HOBNOB_BASE_URL", Flag: "base-url", Connection: true, check: checkURL},
		{Key: "agent", Help: "agent used when -a is not given: an alias or a UUID", Default: "", Env: "HOBNOB_AGENT", Flag: "agent", Connection: true},
		{Key: "instructions", Help: "standing instructions, sent before each question of a new conversation: text or a file", Default: "", Connection: true, check: checkInstructions},
		{Key: "timeout", Help: "time limit of one attempt, from the first byte sent to the last byte read", Default: 5 * time.Minute, Env: "HOBNOB_TIMEOUT", Flag: "timeout", Connection: true, check: within(1, 24*time.Hour, "more than 0 and at most 24h")},
		{Key: "retries", Help: "maximum number of retries of a request that was certainly not accepted", Default: 2, Flag: "retries", Connection: true, check: checkCount(10)},
		{Key: "token_command", Help: "command that prints the token, as a list of words, run without a shell", Default: []string(nil), Connection: true, OneOrigin: true},
		{Key: "ca_file", Help: "PEM file of additional certificate authorities to trust", Default: "", Connection: true, File: true},
		{Key: "allow_insecure_http", Help: "allow http:// to other machines, which sends the token unencrypted", Default: false, Flag: "allow-insecure-http", Connection: true, OneOrigin: true},
		{Key: "conversations_path", Help: "path of the conversation listing below the base URL, if the service uses another path", Default: "", Connection: true, check: checkPath},
		{Key: "idempotency_key", Help: "send Idempotency-Key, for a service that honours it", Default: false, Connection: true, OneOrigin: true},
		{Key: "style", Help: "Markdown style: auto, dark, light, notty, dracula, pink, tokyo-night, or a JSON file", Default: "auto", File: true, Values: []string{"auto", "dark", "light", "notty", "dracula", "pink", "tokyo-night"}},
		{Key: "notify", Help: "terminal notification when an answer arrives: off, bell, osc9 or osc777", Default: "off", check: oneOf("off", "bell", "osc9", "osc777"), Values: []string{"off", "bell", "osc9", "osc777"}},
		{Key: "notify_after", Help: "minimum wait for an answer before notify applies", Default: 10 * time.Second, check: within(0, 24*time.Hour, "between 0s and 24h")},
		{Key: templatePaths, Help: "directories with more templates, as a list, searched in order after your own", Default: []string(nil), File: true, check: checkPaths},
		{Key: "secrets", Help: "what to do with a question that seems to contain a secret: refuse, warn or off", Default: SecretsRefuse, check: oneOf(SecretsRefuse, SecretsWarn, SecretsOff), Values: []string{SecretsRefuse, SecretsWarn, SecretsOff}},
		{Key: "history.save", Help: "save conversations on this machine", Default: true},
		{Key: "history.context_turns", Help: "maximum number of earlier turns sent with a question, 0 for all", Default: 0, check: checkCount(math.MaxInt32)},
		{Key: "history.context_tokens", Help: "maximum estimated tokens of context sent with a question, 0 for all", Default: 0, check: checkCount(math.MaxInt32)},
	}
}

// Lookup returns the setting with the given key, ignoring case.
func Lookup(key string) (setting Setting, ok bool) {
	for _, s := range Settings() {
		if s.Key == strings.ToLower(key) {
			return s, true
		}
	}
	return Setting{}, false
}

// Parse parses a value from a flag, a variable or `config set`. Errors are
// *ValueError.
func (s Setting) Parse(text string) (any, error) {
	var value any = text
	var err error
	switch s.Default.(type) {
	case bool:
		if value, err = strconv.ParseBool(text); err != nil {
			err = errors.New("must be true or false")
		}
	case int:
		if value, err = strconv.Atoi(text); err != nil {
			err = errors.New("must be a whole number")
		}
	case time.Duration:
		value, err = parseDuration(text)
	case []string:
		value, err = parseWords(text)
	}
	if err == nil && s.check != nil {
		err = s.check(value)
	}
	if err != nil {
		return nil, &ValueError{Key: s.Key, Value: s.shown(text), Err: err}
	}
	return value, nil
}

// shown returns text in a form that errors may print: an address that may contain a
// password is replaced by "…".
func (s Setting) shown(text string) string {
	if s.Key == "base_url" && strings.ContainsAny(text, "@?#") {
		return "…"
	}
	return Clip(text)
}

// value converts the raw value from a source, which is text or a YAML value.
func (s Setting) value(raw any, source Source) (Value, error) {
	value, err := s.convert(raw)
	var bad *ValueError
	if errors.As(err, &bad) {
		bad.Source = source
	}
	return Value{Value: value, Source: source}, err
}

func (s Setting) convert(raw any) (any, error) {
	switch raw := raw.(type) {
	case nil:
		return s.Default, nil
	case map[string]any:
		return nil, &ValueError{Key: s.Key, Value: "{…}", Err: errors.New("must be a single value, not a mapping")}
	case []any:
		if _, ok := s.Default.([]string); !ok {
			return nil, &ValueError{Key: s.Key, Value: fmt.Sprint(raw), Err: errors.New("must be a single value, not a list")}
		}
		words := make([]string, len(raw))
		for i, item := range raw {
			if item != nil { // ~ is null in YAML
				words[i] = fmt.Sprint(item)
			}
		}
		if s.check != nil {
			if err := s.check(words); err != nil {
				return nil, &ValueError{Key: s.Key, Value: Format(words), Err: err}
			}
		}
		return words, nil
	}
	return s.Parse(fmt.Sprint(raw))
}

// ValueError reports an invalid value of a setting. Value is "…" if it could contain
// a password.
type ValueError struct {
	Key, Value string
	Source     Source
	Err        error
}

func (e *ValueError) Error() string {
	from := ""
	if e.Source.Kind != "" {
		from = " (from " + e.Source.String() + ")"
	}
	return fmt.Sprintf("invalid value %q for %s%s: %v", e.Value, e.Key, from, e.Err)
}

func (e *ValueError) Unwrap() error { return e.Err }

// Format returns the value in the form that `config get` prints and Parse accepts.
func Format(value any) string {
	switch v := value.(type) {
	case []string:
		if len(v) == 0 {
			return ""
		}
		out, err := yaml.Marshal(scalar(v))
		if err != nil {
			return strings.Join(v, " ")
		}
		return strings.TrimSpace(string(out))
	case time.Duration:
		return duration.Format(v)
	default:
		return fmt.Sprint(v)
	}
}

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		if seconds, serr := strconv.Atoi(text); serr == nil {
			return 0, fmt.Errorf("the unit is missing: use %ds or %dm", seconds, seconds)
		}
		return 0, errors.New("must be a duration such as 90s or 5m")
	}
	return d, nil
}

// parseWords parses a YAML flow list, or words separated by spaces.
func parseWords(text string) ([]string, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return strings.Fields(text), nil
	}
	var words []string
	if err := yaml.Unmarshal([]byte(text), &words); err != nil {
		return nil, errors.New("must be a list such as [pass, show, hobnob]")
	}
	return words, nil
}

// within returns a check that accepts values from least to most.
func within[T cmp.Ordered](least, most T, description string) func(value any) error {
	return func(value any) error {
		if v, ok := value.(T); ok && (v < least || v > most) {
			return errors.New("must be " + description)
		}
		return nil
	}
}

func checkCount(most int) func(value any) error {
	return within(0, most, "between 0 and "+strconv.Itoa(most))
}

// oneOf returns a check that accepts some values.
func oneOf(values ...string) func(value any) error {
	return func(value any) error {
		if text, _ := value.(string); !slices.Contains(values, text) {
			last := len(values) - 1
			return fmt.Errorf("must be %s or %s", strings.Join(values[:last], ", "), values[last])
		}
		return nil
	}
}

func checkPaths(value any) error {
	if paths, _ := value.([]string); slices.Contains(paths, "") {
		return errors.New("must be a list of directories such as [~/prompts, /srv/prompts]")
	}
	return nil
}

func checkURL(value any) error {
	text, _ := value.(string)
	if text == "" {
		return nil
	}
	// A separate setting decides whether http is allowed.
	_, err := baseurl.Parse(text, true)
	return err
}

func checkPath(value any) error {
	text, _ := value.(string)
	if text != "" && (!strings.HasPrefix(text, "/") || slashpath.Clean(text) != text || strings.ContainsAny(text, "?#\\%")) {
		return errors.New("must be a path such as /v1/conversations")
	}
	return nil
}

// CheckName returns an error unless name is a valid name of a profile or agent: 1 to
// 64 of a–z, 0–9, _ and -, starting with a letter or digit. Such names need no
// quoting in the configuration file, in a shell or in file names.
func CheckName(name string) error {
	ok := name != "" && len(name) <= 64 && name[0] != '-' && name[0] != '_'
	for _, r := range name {
		ok = ok && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}
	if !ok {
		return fmt.Errorf("invalid name %q: use at most 64 of a-z, 0-9, _ and -, starting with a letter or digit", name)
	}
	return nil
}

func checkName(value any) error {
	if text, _ := value.(string); text != "" {
		return CheckName(strings.ToLower(text))
	}
	return nil
}
