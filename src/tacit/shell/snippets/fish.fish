# Tacit for fish: after each command, one record goes through a pipe to a short-lived recorder.
# It adds functions to the events of fish. Nothing is written to a file here.
set -g __tacit_recorder @RECORDER@
set -g __tacit_booted @BOOTED@
if status is-interactive
    set -g __tacit_count 0
    set -q __tacit_session
    or set -g __tacit_session $fish_pid.(builtin random).(builtin random)

    function __tacit_begin --on-event fish_preexec
        set -g __tacit_directory $PWD
        set -g __tacit_at ''
        # fish has no clock of its own. The count keeps what runs within a hundredth of a second in order.
        if set -q __tacit_booted[1]; and builtin read -d ' ' -l up rest </proc/uptime 2>/dev/null
            set -g __tacit_count (builtin math "($__tacit_count + 1) % 10000")
            set -g __tacit_at (builtin math -s0 "$__tacit_booted + $up * 1000000 + $__tacit_count")
        end
    end

    function __tacit_end --on-event fish_postexec
        set -l ended $status
        set -q __tacit_paused; or set -q fish_private_mode; or not set -q __tacit_directory
        and return $ended
        builtin string match -qr '^(\s|$)' -- "$argv[1]"
        and return $ended
        # The shell in between puts the recorder into the background, so that fish knows of no job and $last_pid stays.
        builtin printf '%s\0' tacit1 fish $__tacit_session $ended "$__tacit_at" "$CMD_DURATION" "$__tacit_directory" "$argv[1]" '' '' |
            command /bin/sh -c 'trap "" HUP; exec 3<&0; "$@" <&3 3<&- &' sh $__tacit_recorder >/dev/null 2>&1
        return $ended
    end

    # One line from Tacit, once: whoever takes the file away tells it. A link is left alone, wherever it leads.
    function __tacit_tell --on-event fish_prompt
        set -l ended $status
        set -l folder "$HOME/.agents"
        set -q TACIT_HOME[1]
        and builtin test -n "$TACIT_HOME"
        and set folder (builtin string replace -r '^~/' "$HOME/" -- "$TACIT_HOME")
        set folder $folder/.tacit
        if builtin test -s $folder/notice; and builtin test "$TACIT_NOTICE" != off
            and builtin test -f $folder/notice -a -O $folder/notice
            and not builtin test -L $folder/notice -o -L $folder
            set -l line
            builtin read line <$folder/notice 2>/dev/null
            if command rm -- $folder/notice </dev/null >/dev/null 2>&1
                builtin printf '\033[2m%s\033[0m\n' (builtin string replace -ra '[[:cntrl:]]' '' -- $line) >&2
            end
        end
        return $ended
    end

    if not functions -q tacit
        function tacit --description 'A memory for the shell' --wraps tacit
            if builtin test "$argv" = pause
                set -g __tacit_paused 1
                builtin echo 'Paused in this terminal. To go on: tacit resume'
            else if builtin test "$argv" = resume
                set -e __tacit_paused
                set -e __tacit_directory
                builtin echo 'Capturing in this terminal.'
            else
                command tacit $argv
            end
        end
    end
end
