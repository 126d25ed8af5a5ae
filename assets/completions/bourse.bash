# Completion of bourse for bash: source it, or source <(bourse completions bash).
_bourse() {
    local candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
    done < <(command "$1" __complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
}
complete -o nospace -o default -F _bourse bourse
