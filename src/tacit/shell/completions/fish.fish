# Completion of tacit for fish. `tacit completion words` knows commands, options and ids.
function __tacit_complete
    set -l token (commandline -ct)
    set -l words (commandline -opc) "$token"
    set -l lines (command tacit completion words -- $words[2..-1] 2>/dev/null)
    if builtin test "$lines[1]" = :files
        __fish_complete_path "$token"
    else
        builtin printf '%s\n' $lines
    end
end
complete -c tacit -f -k -a '(__tacit_complete)'
