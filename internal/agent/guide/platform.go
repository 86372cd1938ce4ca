package guide

import (
	"slices"
	"strings"
)

// platform is a shell or an operating system with its own form of commands.
type platform struct {
	name  string   // as in the headings of the manual
	words []string // names in questions
	near  string   // platform whose variant is used if there is none for this one
	posix bool     // the commands in the main text of the manual work unchanged
}

var platforms = []platform{
	{name: "PowerShell", words: []string{"powershell", "pwsh", "ps1"}, near: "Windows"},
	{name: "Windows", words: []string{"windows", "win", "win10", "win11"}, near: "PowerShell"},
	{name: "cmd", words: []string{"cmd"}},
	{name: "fish", words: []string{"fish"}},
	{name: "bash", words: []string{"bash"}, posix: true},
	{name: "zsh", words: []string{"zsh"}, near: "macOS", posix: true},
	{name: "macOS", words: []string{"macos", "mac", "osx", "darwin", "macbook"}, near: "zsh", posix: true},
	{name: "Linux", words: []string{"linux", "ubuntu", "debian", "fedora"}, near: "bash", posix: true},
}

// platformNamed returns the platform with the name in a heading, or nil.
func platformNamed(heading string) *platform {
	return findPlatform(func(p platform) bool { return strings.EqualFold(p.name, heading) })
}

// platformOf returns the platform for a word in lower case, or nil.
func platformOf(word string) *platform {
	return findPlatform(func(p platform) bool { return slices.Contains(p.words, word) })
}

func findPlatform(is func(platform) bool) *platform {
	if i := slices.IndexFunc(platforms, is); i >= 0 {
		return &platforms[i]
	}
	return nil
}
