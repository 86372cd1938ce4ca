package shell

import (
	"fmt"
	"strings"
)

// PatchBash returns the bash completion script of cobra so that it works without
// the package bash-completion: the replacement of its function joins the words that
// bash splits at = and at : (COMP_WORDBREAKS), and takes of the word at the cursor
// what is before it.
func PatchBash(script string) (string, error) {
	return patch(script, `    _get_comp_words_by_ref "$@" cur prev words cword
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
`)
}

// PatchFish returns the fish completion script of cobra with the options of string
// ended before a word that may begin with dashes, as --var=name= does.
func PatchFish(script string) (string, error) {
	return patch(script, `string split --max 1 \t `, `string split --max 1 -- \t `)
}

// patch replaces the one place that has to change. A script without it is not the
// one that the patch was written for.
func patch(script, old, replacement string) (string, error) {
	if strings.Count(script, old) != 1 {
		return "", fmt.Errorf("the completion script of cobra has no %q", old)
	}
	return strings.Replace(script, old, replacement, 1), nil
}
