# Keys of hobnob for the command line of zsh.
#
#   Alt-i  replaces the words on the line with the command that the agent suggests;
#          undo restores the words. Nothing is run.
#   Alt-m  explains the command on the line.
#
# Variables, set before this script is read:
#
#   hobnob_key, hobnob_explain_key   other keys, as in bindkey; an empty one is not bound
#   hobnob_flags                     an array of more flags of hobnob chat

__hobnob_suggest() {
    local reply
    if reply=$(__hobnob_ask -x=sh); then
        BUFFER=$reply
        CURSOR=$#BUFFER
    fi
}

__hobnob_explain() {
    __hobnob_ask 'explain this command:'
}

__hobnob_ask() (
    trap : INT # not ignored, so hobnob gets it; the subshell waits for hobnob
    builtin print -rn -- "$BUFFER" | command hobnob chat $hobnob_flags "$@"
)

# Calls a function if the line has text. Meanwhile Ctrl-C ends only hobnob and Ctrl-Z
# suspends nothing: zsh would also clear the line.
__hobnob_key() {
    emulate -L zsh
    setopt local_traps no_monitor
    zle -I
    if [[ $BUFFER != *[^[:space:]]* ]]; then
        echo 'hobnob: first type what you want to do, or a command to explain' >&2
        return
    fi
    trap '' INT
    $1
}

hobnob-suggest() { __hobnob_key __hobnob_suggest }
hobnob-explain() { __hobnob_key __hobnob_explain }

__hobnob_bind() {
    local keymap
    zle -N $2
    for keymap in emacs viins vicmd; do
        [[ -z $1 ]] || bindkey -M $keymap -- $1 $2
    done
}

if [[ -o interactive ]]; then
    __hobnob_bind "${hobnob_key-\ei}" hobnob-suggest
    __hobnob_bind "${hobnob_explain_key-\em}" hobnob-explain
fi
