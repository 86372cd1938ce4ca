package guide

import (
	"slices"
	"strings"
)

// platform is a shell or an operating system that commands may differ on.
type platform struct {
	name  string   // as the manual's headings spell it
	words []string // how people call it
	near  string   // whose variant serves when there is none of its own
	posix bool     // runs the manual's main text as it stands
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

// platformNamed returns the platform whose name a heading is, or nil.
func platformNamed(heading string) *platform {
	return findPlatform(func(p platform) bool { return strings.EqualFold(p.name, heading) })
}

// platformOf returns the platform that a lower-case word names, or nil.
func platformOf(word string) *platform {
	return findPlatform(func(p platform) bool { return slices.Contains(p.words, word) })
}

func findPlatform(is func(platform) bool) *platform {
	if i := slices.IndexFunc(platforms, is); i >= 0 {
		return &platforms[i]
	}
	return nil
}
