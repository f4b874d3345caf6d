# Tacit for bash 4.4 and later: after each command, one record goes through a pipe to a short-lived recorder.
# It uses PS0 and PROMPT_COMMAND beside what you have there, and no DEBUG trap. Nothing is written to a file here.
\builtin shopt -q expand_aliases && __tacit_aliases=-s || __tacit_aliases=-u
\builtin shopt -u expand_aliases

__tacit_recorder=(@RECORDER@)
__tacit_none=
if [[ -n ${EPOCHREALTIME-} ]]; then
    # Expanded in this very shell, without a fork, between reading a command and running it; it prints nothing.
    __tacit_ps0='${__tacit_none:$((__tacit_at=${EPOCHREALTIME//[!0-9]/},0)):0}'
else
    __tacit_ps0='${__tacit_none:$((__tacit_at=SECONDS+1,0)):0}'
fi

# Runs before each prompt. $1 is $_, so that $_ is the same afterwards.
__tacit_prompt() {
    local __tacit_status=$? __tacit_now=${EPOCHREALTIME-}
    { local -; set +aeux; } 2>/dev/null
    local __tacit_last=$1
    if [[ -n ${__tacit_at-} && -z ${__tacit_paused-} ]]; then
        # The parent of this short subshell is the shell, the parent of the recorder soon nobody: no job, no message.
        ( trap '' HUP; { __tacit_send | "${__tacit_recorder[@]}"; } & ) </dev/null >/dev/null 2>&1
    fi
    __tacit_at=
    __tacit_directory=$PWD
    __tacit_number=$HISTCMD
    __tacit_argument=$__tacit_last
    if ! builtin shopt -q promptvars; then
        PS0=${PS0//"$__tacit_ps0"/}
    elif [[ ${PS0-} != *__tacit_at=* ]]; then
        PS0=${PS0-}$__tacit_ps0
    fi
    __tacit_tell
    return "$__tacit_status"
}

__tacit_precmd() { __tacit_prompt "$_"; }

# In the background: the record of the command that has just ended.
__tacit_send() {
    local line word meant= start= milliseconds entered
    line=$(HISTTIMEFORMAT='%s ' builtin history 1)
    [[ $line =~ ^[[:space:]]*[0-9]+[*[:space:]][[:space:]]([0-9?]+)[[:space:]] ]] || return 0
    line=${line:${#BASH_REMATCH[0]}} entered=${BASH_REMATCH[1]}
    [[ $line != [[:space:]]* ]] || return 0
    if [[ -n $__tacit_now ]]; then
        start=$__tacit_at milliseconds=$(((${__tacit_now//[!0-9]/} - __tacit_at) / 1000))
    else
        milliseconds=$(((SECONDS + 1 - __tacit_at) * 1000))
    fi
    [[ $HISTCMD != "$__tacit_number" ]] || __tacit_again || return 0
    word=${line%%[[:space:]]*}
    if [[ $__tacit_aliases == -s && $word =~ ^[A-Za-z0-9_.:+,%-]+$ && -n ${BASH_ALIASES[$word]-} ]]; then
        meant=${BASH_ALIASES[$word]}${line:${#word}}
    fi
    builtin printf '%s\0' tacit1 bash "$__tacit_session" "$__tacit_status" "$start" "$milliseconds" \
        "$__tacit_directory" "$line" "$meant" ''
}

# History has grown by nothing: because the line was not for it, or because it held the same line already?
__tacit_again() {
    case ${HISTCONTROL-} in
        *erasedups*) [[ $entered != *[!0-9]* ]] && ((entered + 1 >= ${start:-0} / 1000000)) && return 0 ;;
    esac
    case ${HISTCONTROL-} in
        *ignoredups* | *ignoreboth*) [[ $__tacit_last == "${__tacit_argument-}" ]] && return 0 ;;
    esac
    return 1
}

# One line from Tacit, once: whoever takes the file away tells it. A link is left alone, wherever it leads.
__tacit_tell() {
    local folder=${TACIT_HOME:-${HOME-}/.agents} line=
    folder=${folder/#\~\//${HOME-}/}/.tacit
    [[ -s $folder/notice && ${TACIT_NOTICE-} != off ]] || return 0
    [[ -f $folder/notice && -O $folder/notice && ! -L $folder/notice && ! -L $folder ]] || return 0
    { IFS= read -r line <"$folder/notice"; } 2>/dev/null
    command rm -- "$folder/notice" </dev/null >/dev/null 2>&1 || return 0
    line=${line//[[:cntrl:]]/}
    [[ -z $line ]] || builtin printf '\033[2m%s\033[0m\n' "$line" >&2
    return 0
}

if ! builtin declare -F tacit >/dev/null; then
    tacit() {
        if [[ $# == 1 && $1 == pause ]]; then
            __tacit_paused=1
            builtin printf '%s\n' 'Paused in this terminal. To go on: tacit resume'
        elif [[ $# == 1 && $1 == resume ]]; then
            __tacit_paused= __tacit_at=
            builtin printf '%s\n' 'Capturing in this terminal.'
        else
            command tacit "$@"
        fi
    }
fi

if [[ $- == *i* && ${BASH_VERSINFO[0]}${BASH_VERSINFO[1]} -ge 44 && -z ${__tacit_session-} ]]; then
    __tacit_session=$$.${EPOCHREALTIME:-$SECONDS}.$RANDOM$RANDOM
    export -n __tacit_session
    __tacit_directory=$PWD
    __tacit_number=$HISTCMD
    if [[ -n ${bash_preexec_imported-}${__bp_imported-} ]]; then
        precmd_functions+=(__tacit_precmd)
    elif [[ ${BASH_VERSINFO[0]}${BASH_VERSINFO[1]} -ge 51 && -z $(trap -p DEBUG) ]]; then
        # Each element sees the status, $_ and PIPESTATUS of the command, so the last place disturbs nobody.
        PROMPT_COMMAND+=('__tacit_prompt "$_"')
    else
        # A DEBUG trap often begins a timer that the last of PROMPT_COMMAND ends.
        PROMPT_COMMAND='__tacit_prompt "$_"'${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
    fi
    PS0=${PS0-}$__tacit_ps0
fi
builtin shopt "$__tacit_aliases" expand_aliases
