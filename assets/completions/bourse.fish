# Completion of bourse for fish: save it as ~/.config/fish/completions/bourse.fish.
function __bourse_complete
    command bourse __complete fish (commandline -cp | string collect) 2>/dev/null
end
complete -c bourse -f -a '(__bourse_complete)'
complete -c bourse -l api-key-file -r -F
