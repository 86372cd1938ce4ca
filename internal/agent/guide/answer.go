package guide

import (
	"fmt"
	"slices"
	"strings"
)

// show gives the best section, its variant for a platform when one is asked
// for, and the names of those that come close.
func show(matches []match, p *platform) string {
	answer := matches[0].section.answer(p)
	var others []string
	for _, m := range matches[1:] {
		if m.score >= near*matches[0].score && len(others) < 2 {
			others = append(others, m.section.heading)
		}
	}
	if len(others) > 0 {
		answer += "\n\n**See also:** " + strings.Join(others, " · ")
	}
	return answer
}

// answer returns the section, or its variant for a platform.
func (s *section) answer(p *platform) string {
	heading, note, text := s.heading, "", s.text
	if p == nil {
		if len(s.variants) > 0 {
			text += fmt.Sprintf("\n\nFor %s, ask `hobnob chat -c \"and in %s?\"`.", names(s.variants), s.variants[0].platform)
		}
	} else if v, ok := s.variant(p); ok {
		heading, text = heading+" ("+v.platform+")", v.text
	} else if !mentions(s, p.name) && !mentions(s, p.near) {
		note = "The manual has no " + p.name + " variant for this; here it is for a POSIX shell.\n\n"
		if p.posix {
			note = "The manual has no " + p.name + " variant for this: its commands are written for a POSIX shell such as bash or zsh and need no change.\n\n"
		}
	}
	return strings.TrimSpace("## " + heading + "\n\n" + note + text)
}

// mentions reports whether a section's own text speaks of a platform.
func mentions(s *section, platform string) bool {
	return slices.Contains(splitWords(s.heading+"\n"+s.text), strings.ToLower(platform))
}

// names lists the platforms of variants as a sentence does.
func names(variants []variant) string {
	text := variants[0].platform
	for i, v := range variants[1:] {
		if i == len(variants)-2 {
			text += " or " + v.platform
		} else {
			text += ", " + v.platform
		}
	}
	return text
}

// more gives the next sections for a question whose answer was already
// followed by pages of more; when none is left, the sections of the topic.
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
		topic := matches[0].section.topic
		answer := "That is all the guide has on that. The topic is **" + topic + "**, with these sections:\n"
		for _, s := range g.index.sections {
			if s.topic == topic {
				answer += "\n- " + s.heading
			}
		}
		return answer
	}
	var answers []string
	for _, m := range next[:min(morePage, len(next))] {
		answers = append(answers, m.section.answer(q.platform))
	}
	return strings.Join(answers, "\n\n")
}

// unknown answers a question that the manual does not: with the three nearest
// sections and how to connect a real agent.
func (g *Guide) unknown(matches []match) string {
	answer := "The guide has no section on that.\n\nThe nearest topics are:\n"
	for _, s := range g.nearest(matches, 3) {
		answer += "\n- " + s.heading
	}
	return answer + "\n\nThe guide knows hobnob's manual and nothing else. To ask a real agent, connect a service:\n\n" +
		"```sh\nhobnob login\nhobnob chat \"your question\"\n```"
}

// nearest returns the sections of the best matches, filled up from the start
// of the manual.
func (g *Guide) nearest(matches []match, n int) []*section {
	var found []*section
	for _, m := range matches {
		if m.coverage >= related {
			found = append(found, m.section)
		}
	}
	for i := range g.index.sections {
		if s := &g.index.sections[i]; !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	return found[:min(n, len(found))]
}

// topics lists what can be asked: of each topic the first few sections.
func (g *Guide) topics(each int) string {
	var b strings.Builder
	b.WriteString("This is hobnob's guide. It answers questions about hobnob from the manual, without a network. Its topics:\n")
	for _, s := range g.index.sections {
		if s.place == 1 {
			fmt.Fprintf(&b, "\n- **%s**: %s", s.topic, s.heading)
		} else if s.place <= each {
			b.WriteString(" · " + s.heading)
		}
	}
	b.WriteString("\n\nAsk in your own words:\n\n```sh\nhobnob chat \"how do I pipe a file into a chat?\"\nhobnob chat -c \"and in PowerShell?\"\nhobnob chat -c \"tell me more\"\n```")
	return b.String()
}
