/** What a shell reads to complete `pipeline`: each asks the program itself, so nothing in here can become stale. */

export type Shell = keyof typeof COMPLETION_SCRIPTS;

/** `$1` is the program as it was typed. */
const BASH = `# Completion of pipeline for bash. In ~/.bashrc:  eval "$(pipeline completion bash)"
_pipeline_complete() {
  local line value current="\${COMP_WORDS[COMP_CWORD]}" files=
  COMPREPLY=()
  [ "$current" = '=' ] && current=
  while IFS= read -r line; do
    if [ "$line" = ':files' ]; then files=1; continue; fi
    value="\${line%%$'\\t'*}"
    COMPREPLY+=("$(printf '%q' "$value")")
  done < <("$1" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
  fi
}
complete -F _pipeline_complete pipeline
`;

const ZSH = `#compdef pipeline
# Completion of pipeline for zsh. In ~/.zshrc, behind compinit:  eval "$(pipeline completion zsh)"
_pipeline_complete() {
  local line value about files=
  local -a lines names
  lines=("\${(@f)$("\${(Q)words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "\${lines[@]}"; do
    [[ -z $line ]] && continue
    if [[ $line == ':files' ]]; then files=1; continue; fi
    value=\${line%%$'\\t'*}
    about=\${line#*$'\\t'}
    if [[ $about == $line ]]; then names+=("\${value//:/\\\\:}"); else names+=("\${value//:/\\\\:}:$about"); fi
  done
  (( $#names )) && _describe -V pipeline names
  [[ -n $files ]] && _files
  return 0
}
# As a file _pipeline in a folder of fpath it is called by its own name.
if [[ \${funcstack[1]} == _pipeline ]]; then _pipeline_complete; else compdef _pipeline_complete pipeline; fi
`;

const FISH = `# Completion of pipeline for fish. In ~/.config/fish/config.fish:  pipeline completion fish | source
function __pipeline_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
  for line in $lines
    if test "$line" = ':files'
      __fish_complete_path "$current"
    else
      echo $line
    end
  end
end
complete -c pipeline -f -a '(__pipeline_complete)'
`;

export const COMPLETION_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
