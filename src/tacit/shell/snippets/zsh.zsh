# Tacit for zsh: after each command, one record goes through a pipe to a short-lived recorder.
# It adds a function to preexec, to precmd and to the history lines of the editor. Nothing is written to a file here.
__tacit_recorder=(@RECORDER@)
\builtin emulate zsh -o no_aliases -o no_all_export -o no_err_exit -o no_err_return -o no_xtrace -o clobber -c '
if [[ -o interactive ]] && zmodload zsh/datetime 2>/dev/null; then
    typeset -g __tacit_at= __tacit_line= __tacit_meant= __tacit_planned= __tacit_recalled= __tacit_directory=
    typeset -g __tacit_paused=${__tacit_paused-}
    typeset -g __tacit_session=${__tacit_session:-$$.$epochtime[1].$epochtime[2].$RANDOM}

    # $1 is the line as typed, $3 the same with its aliases written out.
    __tacit_preexec() {
        __tacit_at= __tacit_planned=
        [[ -n $1 && $1 != [[:space:]]* && -z $__tacit_paused ]] || return 0
        __tacit_line=$1 __tacit_meant=$3 __tacit_directory=$PWD
        [[ $__tacit_recalled == $1 ]] || __tacit_planned=$__tacit_recalled
        __tacit_at=$((epochtime[1] * 1000000 + epochtime[2] / 1000))
    }

    __tacit_precmd() {
        local ended=$?
        if [[ -n $__tacit_at && -z $__tacit_paused ]]; then
            local -i milliseconds=$(((epochtime[1] * 1000000 + epochtime[2] / 1000 - __tacit_at) / 1000))
            # In a subshell, so that $! stays what it was and no job is heard of.
            ( trap "" HUP; { builtin print -rnN -- tacit1 zsh "$__tacit_session" "$ended" "$__tacit_at" "$milliseconds" \
                "$__tacit_directory" "$__tacit_line" "$__tacit_meant" "$__tacit_planned" | "${__tacit_recorder[@]}"
            } &! ) </dev/null >/dev/null 2>&1
        fi
        __tacit_at= __tacit_line= __tacit_meant= __tacit_planned= __tacit_recalled=
        __tacit_tell
        return $ended
    }

    # The line that was fetched from history last, before anybody edits it.
    __tacit_fetched() {
        __tacit_recalled=$BUFFER
    }

    # One line from Tacit, once: whoever takes the file away tells it. A link is left alone, wherever it leads.
    __tacit_tell() {
        local folder=${TACIT_HOME:-$HOME/.agents} line=
        folder=${folder/#\~\//$HOME/}/.tacit
        [[ -s $folder/notice && ${TACIT_NOTICE-} != off ]] || return 0
        [[ -f $folder/notice && -O $folder/notice && ! -L $folder/notice && ! -L $folder ]] || return 0
        { IFS= read -r line <$folder/notice } 2>/dev/null
        command rm -- $folder/notice </dev/null >/dev/null 2>&1 || return 0
        line=${line//[[:cntrl:]]/}
        [[ -z $line ]] || builtin printf "\033[2m%s\033[0m\n" $line >&2
        return 0
    }

    if (( ! $+functions[tacit] )); then
        tacit() {
            if [[ $# == 1 && $1 == pause ]]; then
                __tacit_paused=1
                builtin print -r "Paused in this terminal. To go on: tacit resume"
            elif [[ $# == 1 && $1 == resume ]]; then
                __tacit_paused= __tacit_at=
                builtin print -r "Capturing in this terminal."
            else
                command tacit "$@"
            fi
        }
    fi

    typeset -ga preexec_functions precmd_functions
    (( $+preexec_functions[(r)__tacit_preexec] )) || preexec_functions+=(__tacit_preexec)
    (( $+precmd_functions[(r)__tacit_precmd] )) || precmd_functions+=(__tacit_precmd)
    if autoload -Uz +X add-zle-hook-widget 2>/dev/null; then
        add-zle-hook-widget history-line-set __tacit_fetched 2>/dev/null
    fi
fi
'
