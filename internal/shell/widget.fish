# Keys of hobnob for the command line of fish.
#
#   Alt-i  replaces the words on the line with the command that the agent suggests;
#          undo restores the words. Nothing is run.
#   Alt-m  explains the command on the line.
#
# Variables, set before this script is read:
#
#   hobnob_key, hobnob_explain_key   other keys, as in bind; an empty one is not bound
#   hobnob_flags                     a list of more flags of hobnob chat

function __hobnob_suggest
    set -l reply (__hobnob_ask -x=sh)
    and commandline --replace -- (string join \n -- $reply | string collect)
end

function __hobnob_explain
    __hobnob_ask 'explain this command:'
end

function __hobnob_ask
    builtin printf '%s' (commandline | string collect) | command hobnob chat $hobnob_flags $argv
end

# Calls a function if the line has text, and draws the prompt and the line again below its
# output. Ctrl-C also ends the function, so this is requested first.
function __hobnob_key
    echo
    commandline -f repaint
    if not string match -qr '\S' -- (commandline)
        echo 'hobnob: first type what you want to do, or a command to explain' >&2
        return
    end
    $argv[1]
end

function __hobnob_bind
    for mode in default insert
        test -n "$argv[1]"
        and bind -M $mode -- $argv[1] "__hobnob_key $argv[2]"
    end
end

if status is-interactive
    set -q hobnob_key
    or set -l hobnob_key \ei
    set -q hobnob_explain_key
    or set -l hobnob_explain_key \em
    __hobnob_bind "$hobnob_key" __hobnob_suggest
    __hobnob_bind "$hobnob_explain_key" __hobnob_explain
end
