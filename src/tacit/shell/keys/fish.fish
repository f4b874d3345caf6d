# A key for `tacit pick`: the line is the query, and what is chosen comes onto the line. Nothing is run.
set -g __tacit_picker @PICKER@
if status is-interactive
    function __tacit_pick
        set -l picked (builtin commandline --current-buffer | command $__tacit_picker)
        set -l ended $pipestatus[2]
        if builtin test $ended -ge 128 # it was killed, and could not leave its screen; fish itself sets the terminal
            builtin printf '\033[?7h\033[?25h\033[?1049l' >/dev/tty
        else if builtin test $ended -eq 0; and set --query picked[1]
            builtin commandline --replace -- $picked
        end
        builtin commandline --function repaint
    end
    for keymap in @KEYMAPS@
        bind --mode $keymap @KEY@ __tacit_pick
    end
end
