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

// Setting is one row of the table that drives reading, `config`, completion and
// the documentation.
type Setting struct {
	Key     string
	Help    string // one line, lower case, without a full stop
	Default any    // its type is the setting's: string, bool, int, time.Duration or []string
	Env     string // environment variable that sets it, if any
	Flag    string // flag that sets it, if any, without dashes
	// Connection settings belong to one service: `config set` writes them into
	// the profile, the others to the top level of the file.
	Connection bool
	// Values are offered by completion, and files where File is set; whether others
	// are allowed is for check to say.
	Values []string
	File   bool
	// check refuses an invalid value of the right type; it may be nil.
	check func(value any) error
}

// ProfileKey names the setting that selects the profile; it is the only one
// that cannot be set inside a profile.
const ProfileKey = "profile"

// Settings returns the table, in the order in which it is shown.
func Settings() []Setting {
	return []Setting{
		{Key: ProfileKey, Help: "profile used when -p is not given", Default: "", Env: "HOBNOB_PROFILE", Flag: "profile", check: checkName},
		{Key: "base_url", Help: "address of the service, with any path prefix, without /api/v1", Default: "", Env: "HOBNOB_BASE_URL", Flag: "base-url", Connection: true, check: checkURL},
		{Key: "agent", Help: "agent asked when -a is not given: an alias or a UUID", Default: "", Env: "HOBNOB_AGENT", Flag: "agent", Connection: true},
		{Key: "timeout", Help: "longest time for one attempt, from the first byte sent to the last byte read", Default: 5 * time.Minute, Env: "HOBNOB_TIMEOUT", Flag: "timeout", Connection: true, check: within(1, 24*time.Hour, "more than 0 and at most 24h")},
		{Key: "retries", Help: "further attempts after a request that was certainly not accepted", Default: 2, Flag: "retries", Connection: true, check: checkCount(10)},
		{Key: "token_command", Help: "command that prints the token, as a list of words; no shell runs it", Default: []string(nil), Connection: true},
		{Key: "ca_file", Help: "PEM file of certificate authorities to trust besides the system's", Default: "", Connection: true, File: true},
		{Key: "allow_insecure_http", Help: "allow http:// to a host that is not this machine; the token travels readable", Default: false, Connection: true},
		{Key: "conversations_path", Help: "path of the listing below the base URL, when the service has it elsewhere", Default: "", Connection: true, check: checkPath},
		{Key: "idempotency_key", Help: "send Idempotency-Key, for a service that is known to honour it", Default: false, Connection: true},
		{Key: "style", Help: "Markdown style: auto, dark, light, notty, dracula, pink, tokyo-night, or a JSON file", Default: "auto", File: true, Values: []string{"auto", "dark", "light", "notty", "dracula", "pink", "tokyo-night"}},
		{Key: "notify", Help: "say on the terminal that an answer has come: off, bell, osc9 or osc777", Default: "off", check: checkNotify, Values: []string{"off", "bell", "osc9", "osc777"}},
		{Key: "notify_after", Help: "shortest wait for an answer that notify tells of", Default: 10 * time.Second, check: within(0, 24*time.Hour, "0s to 24h")},
		{Key: "history.save", Help: "keep conversations on this machine", Default: true},
		{Key: "history.context_turns", Help: "turns of context sent with a question; 0 sends all", Default: 0, check: checkCount(math.MaxInt32)},
		{Key: "history.context_tokens", Help: "estimated tokens of context sent with a question; 0 sends all", Default: 0, check: checkCount(math.MaxInt32)},
	}
}

// Lookup returns the setting called key; ok is false when there is none.
func Lookup(key string) (setting Setting, ok bool) {
	for _, s := range Settings() {
		if s.Key == strings.ToLower(key) {
			return s, true
		}
	}
	return Setting{}, false
}

// Parse reads a value as it is typed in a flag, a variable or `config set`.
func (s Setting) Parse(text string) (any, error) {
	var value any = text
	var err error
	switch s.Default.(type) {
	case bool:
		if value, err = strconv.ParseBool(text); err != nil {
			err = errors.New("want true or false")
		}
	case int:
		if value, err = strconv.Atoi(text); err != nil {
			err = errors.New("want a whole number")
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

// shown is a value as an error may repeat it: an address can hold a password,
// before the host or in its query.
func (s Setting) shown(text string) string {
	if s.Key == "base_url" && strings.ContainsAny(text, "@?#") {
		return "…"
	}
	return text
}

// value converts what a source has for the setting: text, or a value of YAML.
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
		return nil, &ValueError{Key: s.Key, Value: "{…}", Err: errors.New("want one value, not a mapping")}
	case []any:
		if _, ok := s.Default.([]string); !ok {
			return nil, &ValueError{Key: s.Key, Value: fmt.Sprint(raw), Err: errors.New("want one value, not a list")}
		}
		words := make([]string, len(raw))
		for i, item := range raw {
			words[i] = fmt.Sprint(item)
		}
		return words, nil
	}
	return s.Parse(fmt.Sprint(raw))
}

// ValueError says which setting has an invalid value. Value is "…"
// where it could hold a password.
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
	return fmt.Sprintf("%s cannot be %q%s: %v", e.Key, e.Value, from, e.Err)
}

func (e *ValueError) Unwrap() error { return e.Err }

// Format is the value as `config get` prints it and Parse reads it.
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
			return 0, fmt.Errorf("say the unit, like %ds or %dm", seconds, seconds)
		}
		return 0, errors.New("want a duration like 90s or 5m")
	}
	return d, nil
}

// parseWords reads a YAML flow list, or words between spaces.
func parseWords(text string) ([]string, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return strings.Fields(text), nil
	}
	var words []string
	if err := yaml.Unmarshal([]byte(text), &words); err != nil {
		return nil, errors.New("want a list like [pass, show, hobnob]")
	}
	return words, nil
}

// within returns a check that allows values from least to most.
func within[T cmp.Ordered](least, most T, want string) func(value any) error {
	return func(value any) error {
		if v, ok := value.(T); ok && (v < least || v > most) {
			return errors.New("want " + want)
		}
		return nil
	}
}

func checkCount(most int) func(value any) error {
	return within(0, most, "0 to "+strconv.Itoa(most))
}

func checkNotify(value any) error {
	if text, _ := value.(string); !slices.Contains([]string{"off", "bell", "osc9", "osc777"}, text) {
		return errors.New("want off, bell, osc9 or osc777")
	}
	return nil
}

func checkURL(value any) error {
	text, _ := value.(string)
	if text == "" {
		return nil
	}
	// Whether http is allowed is another setting.
	_, err := baseurl.Parse(text, true)
	return err
}

func checkPath(value any) error {
	text, _ := value.(string)
	if text != "" && (!strings.HasPrefix(text, "/") || slashpath.Clean(text) != text || strings.ContainsAny(text, "?#\\%")) {
		return errors.New("want a path like /v1/conversations")
	}
	return nil
}

// CheckName refuses names of profiles and agents that would not survive a
// configuration file, a shell's completion or a file name: a name has 1 to 64
// of a–z, 0–9, _ and -, and begins with a letter or a digit.
func CheckName(name string) error {
	ok := name != "" && len(name) <= 64 && name[0] != '-' && name[0] != '_'
	for _, r := range name {
		ok = ok && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}
	if !ok {
		return fmt.Errorf("%q is not a name: use a-z, 0-9, _ and -, at most 64, beginning with a letter or a digit", name)
	}
	return nil
}

func checkName(value any) error {
	if text, _ := value.(string); text != "" {
		return CheckName(strings.ToLower(text))
	}
	return nil
}
