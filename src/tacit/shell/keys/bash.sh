# A key for `tacit pick`: the line is the query, and what is chosen comes onto the line. Nothing is run.
\builtin shopt -q expand_aliases && __tacit_aliases=-s || __tacit_aliases=-u
\builtin shopt -u expand_aliases
__tacit_picker=(@PICKER@)

__tacit_pick() {
    { local -; set +aeux +o pipefail; } 2>/dev/null
    local terminal picked ended
    builtin export -n READLINE_LINE  # so that it is in no environment
    terminal=$(command stty -g </dev/tty 2>/dev/null)
    picked=$(builtin printf '%s' "$READLINE_LINE" | "${__tacit_picker[@]}")
    ended=$?
    if ((ended >= 128)); then  # it was killed, and could not leave the terminal as it was
        { command stty "$terminal"; builtin printf '\033[?7h\033[?25h\033[?1049l'; } </dev/tty >/dev/tty 2>/dev/null
    elif [[ $ended == 0 && -n $picked ]]; then
        READLINE_LINE=$picked READLINE_POINT=2147483647  # its end
    fi
}

for __tacit_keymap in @KEYMAPS@; do
    [[ $- != *i* ]] || builtin bind -m "$__tacit_keymap" -x '"@KEY@": __tacit_pick' 2>/dev/null
done
unset __tacit_keymap
\builtin shopt "$__tacit_aliases" expand_aliases
