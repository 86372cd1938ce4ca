package shell

import (
	"fmt"
	"strings"
)

// PatchBash returns cobra's bash completion script, changed to work without the
// bash-completion package: its own function joins the words that bash splits at =
// and : (COMP_WORDBREAKS), and completes only the part of a word before the cursor.
func PatchBash(script string) (string, error) {
	return patch(script, `    _get_comp_words_by_ref "$@" cur prev words cword
}
`, `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
    else
        __hobnob_words
    fi
}

# Replaces _get_comp_words_by_ref -n =: in a shell without the bash-completion package.
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

// PatchFish returns cobra's fish completion script with "--" before each word that
// is passed to string, because the word may begin with dashes, as --var=name= does.
func PatchFish(script string) (string, error) {
	return patch(script, `string split --max 1 \t `, `string split --max 1 -- \t `)
}

// patch replaces the only occurrence of old. It fails if there is not exactly one, as with
// another version of cobra.
func patch(script, old, replacement string) (string, error) {
	if strings.Count(script, old) != 1 {
		return "", fmt.Errorf("cobra's completion script does not contain exactly one %q", old)
	}
	return strings.Replace(script, old, replacement, 1), nil
}
