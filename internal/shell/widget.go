package shell

import "embed"

//go:embed widget.bash widget.zsh widget.fish
var widgets embed.FS

// Widget returns the script that binds the keys of hobnob in bash, zsh or fish.
func Widget(shell string) (script string, ok bool) {
	text, err := widgets.ReadFile("widget." + shell)
	return string(text), err == nil
}
