# Completion of tacit for bash 4.4 and later. `tacit completion words` knows commands, options and ids.
__tacit_complete() {
    local line
    COMPREPLY=()
    while IFS= builtin read -r line; do
        if [[ $line == :files ]]; then
            compopt -o default
            return 0
        fi
        COMPREPLY+=("${line%%$'\t'*}")
    done < <(command tacit completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
builtin complete -F __tacit_complete tacit
