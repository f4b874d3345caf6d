# A key for `tacit pick`: the line is the query, and what is chosen comes onto the line. Nothing is run.
__tacit_picker=(@PICKER@)
\builtin emulate zsh -o no_aliases -c '
if [[ -o interactive ]]; then
    __tacit_pick() {
        builtin emulate -L zsh
        local picked
        local -i ended
        picked=$(builtin print -rn -- "$BUFFER" | "${__tacit_picker[@]}")
        ended=$?
        if (( ended >= 128 )); then  # it was killed, and could not leave its screen; zsh itself sets the terminal
            builtin print -n "\033[?7h\033[?25h\033[?1049l" >/dev/tty 2>/dev/null
        elif (( ended == 0 )) && [[ -n $picked ]]; then
            BUFFER=$picked CURSOR=$#picked
        fi
        zle reset-prompt
    }
    zle -N __tacit_pick
    () {
        local keymap
        for keymap in @KEYMAPS@; do bindkey -M $keymap "@KEY@" __tacit_pick; done
    }
fi
'
