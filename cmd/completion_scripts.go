package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// mending replaces a part of a completion script of cobra's.
type mending struct{ old, new string }

// fishMendings end the options of string before a word that may begin with dashes,
// as --var=name= does.
var fishMendings = []mending{{`string split --max 1 \t `, `string split --max 1 -- \t `}}

// bashMendings let the script do without the package bash-completion. What stands in
// for its function joins the words that bash parts at = and at : (COMP_WORDBREAKS), and
// of the word at the cursor takes what is before it.
var bashMendings = []mending{{`    _get_comp_words_by_ref "$@" cur prev words cword
}
`, `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
    else
        __hobnob_words
    fi
}

# This is what _get_comp_words_by_ref -n =: does, for a shell without the
# bash-completion package.
__hobnob_words()
{
    local i word after rest=${COMP_LINE:0:COMP_POINT}
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        after=${rest#"${rest%%[![:space:]]*}"}
        word=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && word=$after
        if ((i > 0)) && [[ $after == "$rest" && ( $word == [=:]* || ${COMP_WORDS[i-1]} == *[=:] ) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        rest=${after#"$word"}
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=
    ((cword > 0)) && prev=${words[cword-1]}
    return 0
}
`}}

// mended writes what generate does with its faults mended. A script in which they
// are not found is not the one that was looked at.
func mended(w io.Writer, mendings []mending, generate func(io.Writer) error) error {
	var script bytes.Buffer
	if err := generate(&script); err != nil {
		return err
	}
	text := script.String()
	for _, m := range mendings {
		if strings.Count(text, m.old) != 1 {
			return fmt.Errorf("the completion script of cobra has no %q", m.old)
		}
		text = strings.Replace(text, m.old, m.new, 1)
	}
	_, err := io.WriteString(w, text)
	return err
}
