package guide

import (
	"fmt"
	"slices"
	"strings"
)

// show returns the best section, or its variant for p, and the headings of similar
// sections.
func show(matches []match, p *platform) string {
	answer := matches[0].section.answer(p)
	var others []string
	for _, m := range matches[1:] {
		if m.score >= alsoNear*matches[0].score && len(others) < 2 {
			others = append(others, m.section.heading)
		}
	}
	if len(others) > 0 {
		answer += "\n\n**See also:** " + strings.Join(others, " · ")
	}
	return answer
}

// answer returns the section, or its variant for p if p is not nil.
func (s *section) answer(p *platform) string {
	heading, note, text := s.heading, "", s.text
	if p == nil {
		if len(s.variants) > 0 {
			text += fmt.Sprintf("\n\nFor %s, ask `hobnob chat -c \"and in %s?\"`.", names(s.variants), s.variants[0].platform)
		}
	} else if v, ok := s.variant(p); ok {
		heading, text = heading+" ("+v.platform+")", v.text
	} else if !mentions(s, p.name) && !mentions(s, p.near) {
		note = "The manual has no " + p.name + " variant for this; these commands are for a POSIX shell.\n\n"
		if p.posix {
			note = "The manual has no " + p.name + " variant for this: these commands are for a POSIX shell, such as bash or zsh, and need no change.\n\n"
		}
	}
	return strings.TrimSpace("## " + heading + "\n\n" + note + text)
}

// mentions reports whether the text of a section mentions a platform.
func mentions(s *section, platform string) bool {
	return slices.Contains(splitWords(s.heading+"\n"+s.text), strings.ToLower(platform))
}

// names lists the platforms of variants in the form "a, b or c".
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

// more returns the next sections for a question after the given number of pages. If there
// are none left, it lists the sections of the topic.
func (g *Guide) more(q query, pages int) string {
	matches := g.index.rank(q.terms)
	if g.evidence(q, matches) < known {
		return g.find(q)
	}
	var next []match
	for _, m := range matches[1:min(len(matches), moreSections+1)] {
		if m.score >= worthwhile*matches[0].score {
			next = append(next, m)
		}
	}
	next = next[min(pages*morePage, len(next)):]
	if len(next) == 0 {
		topic := matches[0].section.topic
		answer := "The guide has nothing more on that. The topic **" + topic + "** has these sections:\n"
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

// refusal is the answer to a question on another subject.
const refusal = "That question does not seem to be about hobnob. " +
	"This guide only answers questions about the program from its manual, such as \"how do I attach a file?\".\n\n" +
	"To ask a real agent about anything else, connect a service:\n\n```sh\nhobnob login\nhobnob chat \"your question\"\n```"

// closest answers a question that the manual may not answer, with the commands of the
// best section and the headings of others.
func closest(matches []match, p *platform) string {
	best := matches[0].section
	answer := "The guide has no exact answer. The closest section is **" + best.heading + "**:\n\n" + best.lead(p)
	var others []string
	for _, m := range matches[1:min(len(matches), 4)] {
		others = append(others, m.section.heading)
	}
	if len(others) > 0 {
		answer += "\n\nOther close sections: " + strings.Join(others, " · ")
	}
	return answer + "\n\nAsk for one of them by its title."
}

// lead returns the first paragraph and the first block of commands of a section, or of
// its variant for p.
func (s *section) lead(p *platform) string {
	text := s.text
	if p != nil {
		if v, ok := s.variant(p); ok {
			text = v.text
		}
	}
	before, rest, _ := strings.Cut(text, "```")
	before, _, _ = strings.Cut(before, "\n\n")
	if command, _, ok := strings.Cut(rest, "```"); ok {
		before += "\n\n```" + command + "```"
	}
	return strings.TrimSpace(before)
}

// smallTalks are the answers to messages without a question. A message must contain one
// of the words.
var smallTalks = []struct{ words, answer string }{
	{"bye goodbye farewell ciao cya", "Goodbye. The conversation is saved; `hobnob chat -c` continues it."},
	{"thanks thank thx ty cheers", "You are welcome. Ask again whenever something about hobnob is unclear."},
	{"hello hi hey howdy hiya greetings morning evening afternoon", "Hello. This is the guide to hobnob; it answers questions about hobnob from the manual. " +
		"Try `hobnob chat \"how do I attach a file?\"`, or `hobnob chat help` for the list of topics."},
	{"great awesome perfect cool nice wonderful excellent brilliant super good ok okay", "Good. Ask again whenever something about hobnob is unclear."},
}

// politeWords are the other words of small talk.
const politeWords = `a all and are very much for the so you your is it that was how do doing there again now today to me help answer
lot guide hobnob everyone sir then later see nice meet good day night work works well job one many`

// smallTalk returns the answer to a greeting, a thank-you or a farewell, or "" for other
// words.
func smallTalk(words []string) string {
	polite := among(politeWords)
	for _, talk := range smallTalks {
		if slices.ContainsFunc(words, among(talk.words)) {
			for _, other := range smallTalks {
				words = slices.DeleteFunc(slices.Clone(words), among(other.words))
			}
			if slices.IndexFunc(words, func(w string) bool { return !polite(w) }) >= 0 {
				return ""
			}
			return talk.answer
		}
	}
	return ""
}

// topics lists the topics, each with its first sections.
func (g *Guide) topics(each int) string {
	var b strings.Builder
	b.WriteString("This is the guide to hobnob. It answers questions about hobnob from the manual, without a network. Its topics:\n")
	for _, s := range g.index.sections {
		if s.place == 1 {
			fmt.Fprintf(&b, "\n- **%s**: %s", s.topic, s.heading)
		} else if s.place <= each {
			b.WriteString(" · " + s.heading)
		}
	}
	b.WriteString("\n\nAsk in your own words:\n\n```sh\nhobnob chat \"how do I pipe a file into a chat?\"\nhobnob chat -c \"and in PowerShell?\"\nhobnob chat -c \"show me more\"\n```")
	return b.String()
}
