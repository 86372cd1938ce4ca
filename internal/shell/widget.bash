# Keys of hobnob for the command line of bash 4.0 or newer.
#
#   Alt-i  replaces the words on the line with the command that the agent suggests;
#          undo restores the words. Nothing is run.
#   Alt-m  explains the command on the line.
#
# Variables, set before this script is read:
#
#   hobnob_key, hobnob_explain_key   other keys, as in bind; an empty one is not bound
#   hobnob_flags                     an array of more flags of hobnob chat

__hobnob_suggest() {
    local reply
    if reply=$(__hobnob_ask -x=sh); then
        READLINE_LINE=$reply
        READLINE_POINT=2147483647 # the end, in bytes or in characters
    fi
}

__hobnob_explain() {
    __hobnob_ask 'explain this command:'
}

__hobnob_ask() {
    builtin printf '%s' "$READLINE_LINE" | command hobnob chat ${hobnob_flags[@]+"${hobnob_flags[@]}"} "$@"
}

# Calls a function if the line has text. Meanwhile Ctrl-C ends only hobnob: without the
# trap, readline would also clear the line.
__hobnob_key() {
    if [[ $READLINE_LINE != *[![:space:]]* ]]; then
        echo 'hobnob: first type what you want to do, or a command to explain' >&2
        return
    fi
    local trap
    trap=$(trap -p INT)
    trap : INT
    "$1"
    trap - INT
    eval "$trap"
}

__hobnob_bind() {
    local keymap
    for keymap in emacs-standard vi-insert vi-command; do
        [[ -z $1 ]] || bind -m "$keymap" -x "\"$1\": __hobnob_key $2"
    done
}

if ((BASH_VERSINFO[0] < 4)); then
    echo 'hobnob: the keys need bash 4.0 or newer' >&2
elif [[ $- == *i* ]]; then
    __hobnob_bind "${hobnob_key-\ei}" __hobnob_suggest
    __hobnob_bind "${hobnob_explain_key-\em}" __hobnob_explain
fi
