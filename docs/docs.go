// Package docs holds the manual of hobnob, for the program to carry with it.
// It must not know who reads it.
package docs

import "embed"

// Guide is the everyday manual: guide/*.md, one file for each topic. A file
// opens with its title ("# "); each section ("## ") answers one question and
// stands by itself, and a "### " heading that names a shell or a system begins
// a variant of the section above it. A "words" comment lists further words by
// which people ask for the section.
//
//go:embed guide/*.md
var Guide embed.FS
