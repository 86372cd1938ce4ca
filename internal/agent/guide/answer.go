package guide

import (
	"fmt"
	"slices"
	"strings"
)

// show gives the best section, its variant for a platform when one is asked
// for, and the names of those that come close.
func (g *Guide) show(matches []match, p *platform) string {
	best := &g.index.sections[matches[0].section]
	var b strings.Builder
	g.write(&b, best, p)
	var others []string
	for _, m := range matches[1:] {
		if m.score >= near*matches[0].score && len(others) < 2 {
			others = append(others, g.index.sections[m.section].heading)
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(&b, "\n**See also:** %s\n", strings.Join(others, " · "))
	}
	return strings.TrimSpace(b.String())
}

// write writes one section, as text or as its variant for a platform.
func (g *Guide) write(b *strings.Builder, s *section, p *platform) {
	if p == nil {
		fmt.Fprintf(b, "## %s\n\n%s\n", s.heading, s.text)
		if len(s.variants) > 0 {
			fmt.Fprintf(b, "\nFor %s, ask `hobnob chat -c \"and in %s?\"`.\n", names(s.variants), s.variants[0].platform)
		}
		return
	}
	if v, ok := s.variant(p); ok {
		fmt.Fprintf(b, "## %s (%s)\n\n%s\n", s.heading, v.platform, v.text)
		return
	}
	fmt.Fprintf(b, "## %s\n\n", s.heading)
	switch {
	case mentions(s, p.name) || mentions(s, p.near):
	case p.posix:
		fmt.Fprintf(b, "The manual has no %s variant for this: its commands are written for a POSIX shell such as bash or zsh and need no change.\n\n", p.name)
	default:
		fmt.Fprintf(b, "The manual has no %s variant for this; here it is for a POSIX shell.\n\n", p.name)
	}
	fmt.Fprintf(b, "%s\n", s.text)
}

// mentions reports whether a section's own text speaks of a platform.
func mentions(s *section, platform string) bool {
	return slices.Contains(splitWords(s.heading+"\n"+s.text), strings.ToLower(platform))
}

func names(variants []variant) string {
	all := make([]string, len(variants))
	for i, v := range variants {
		all[i] = v.platform
	}
	return join(all, "or")
}

// join lists words as a sentence does.
func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// more gives the next sections for a question whose answer was already
// followed by pages of more.
func (g *Guide) more(q query, pages int) string {
	matches := g.index.rank(q.terms)
	if !q.knows(matches) {
		return g.unknown(matches)
	}
	var next []match
	for _, m := range matches[1:] {
		if m.score >= worthwhile*matches[0].score && m.coverage >= confident/2 {
			next = append(next, m)
		}
	}
	next = next[min(pages*morePage, len(next)):]
	if len(next) == 0 {
		return g.nothingMore(&g.index.sections[matches[0].section])
	}
	var b strings.Builder
	for i, m := range next[:min(morePage, len(next))] {
		if i > 0 {
			b.WriteString("\n")
		}
		g.write(&b, &g.index.sections[m.section], q.platform)
	}
	return strings.TrimSpace(b.String())
}

// nothingMore answers "more" when nothing is left: with the other sections of the
// topic.
func (g *Guide) nothingMore(s *section) string {
	var b strings.Builder
	fmt.Fprintf(&b, "That is all the guide has on that. The topic is **%s**, with these sections:\n\n", s.topic)
	for _, other := range g.index.sections {
		if other.topic == s.topic {
			fmt.Fprintf(&b, "- %s\n", other.heading)
		}
	}
	return strings.TrimSpace(b.String())
}

// unknown answers a question that the manual does not: with the three nearest
// sections and how to connect a real agent.
func (g *Guide) unknown(matches []match) string {
	var b strings.Builder
	b.WriteString("The guide has no section on that.\n\nThe nearest topics are:\n\n")
	for _, i := range g.nearest(matches, 3) {
		fmt.Fprintf(&b, "- %s\n", g.index.sections[i].heading)
	}
	b.WriteString("\nThe guide knows hobnob's manual and nothing else. To ask a real agent, connect a service:\n\n" +
		"```sh\nhobnob login\nhobnob chat \"your question\"\n```\n")
	return strings.TrimSpace(b.String())
}

// nearest returns the sections of the best matches, filled up from the start
// of the manual.
func (g *Guide) nearest(matches []match, n int) []int {
	var found []int
	taken := map[int]bool{}
	take := func(i int) {
		if !taken[i] && len(found) < n {
			taken[i] = true
			found = append(found, i)
		}
	}
	for _, m := range matches {
		if m.coverage >= related {
			take(m.section)
		}
	}
	for i := range g.index.sections {
		take(i)
	}
	return found
}

// topics lists what can be asked: of each topic the first few sections.
func (g *Guide) topics(each int) string {
	var b strings.Builder
	b.WriteString("This is hobnob's guide. It answers questions about hobnob from the manual, without a network. Its topics:\n\n")
	for rest := g.index.sections; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].topic == rest[0].topic {
			n++
		}
		var headings []string
		for _, s := range rest[:min(n, each)] {
			headings = append(headings, s.heading)
		}
		fmt.Fprintf(&b, "- **%s**: %s\n", rest[0].topic, strings.Join(headings, " · "))
		rest = rest[n:]
	}
	b.WriteString("\nAsk in your own words:\n\n```sh\nhobnob chat \"how do I pipe a file into a chat?\"\nhobnob chat -c \"and in PowerShell?\"\nhobnob chat -c \"tell me more\"\n```\n")
	return strings.TrimSpace(b.String())
}
