// Package docs embeds the manual of hobnob.
package docs

import "embed"

// Guide contains the manual, guide/*.md, with one file for each topic. A file begins with
// its title ("# "). Each section ("## ") answers one question and is complete without
// the others. A "### " heading with the name of a shell or system begins a variant of
// the section.
//
//go:embed guide/*.md
var Guide embed.FS
