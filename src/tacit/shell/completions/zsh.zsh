# Completion of tacit for zsh. `tacit completion words` knows commands, options and ids.
\builtin emulate zsh -o no_aliases -o no_all_export -o no_err_exit -o no_err_return -o no_xtrace -c '
if [[ -o interactive ]]; then
    __tacit_complete() {
        builtin eval ${_comp_setup-}
        local line tab=${(#):-9}
        local -a values
        for line in "${(@f)$(command tacit completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
            if [[ $line == :files ]]; then
                _files
                return
            fi
            [[ -z $line ]] || values+=("${${line%%$tab*}//:/\\:}:${line#*$tab}")
        done
        _describe -V tacit values
    }
    # The start file may load the completion system after this.
    __tacit_compdef() {
        precmd_functions=(${precmd_functions:#__tacit_compdef})
        (( ! $+functions[compdef] )) || compdef __tacit_complete tacit
    }
    if (( $+functions[compdef] )); then
        compdef __tacit_complete tacit
    else
        typeset -ga precmd_functions
        precmd_functions+=(__tacit_compdef)
    fi
fi
'
