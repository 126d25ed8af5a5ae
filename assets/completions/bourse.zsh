#compdef bourse
# Completion of bourse for zsh: save it as _bourse in a folder of $fpath.
_bourse() {
    local value shown
    local -a values descriptions
    while IFS=$'\t' read -r value shown; do
        values+=("$value")
        descriptions+=("$shown")
    done < <(command $words[1] __complete zsh "${(j: :)words[1,CURRENT]}" 2>/dev/null)
    if (( $#values )); then
        compadd -Q -U -S '' -l -d descriptions -a values
    else
        _files
    fi
}
if [[ $funcstack[1] == _bourse ]]; then
    _bourse "$@"
else
    compdef _bourse bourse
fi
