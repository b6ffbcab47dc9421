import { type CompletedCommand, firstWords, secondWords } from './describe.ts';

/** Completion for bash 3.2 and later. Where no words are offered, bash completes file names. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const topics = [...secondWords(commands)].map(
    ([topic, below]) => `    ${topic})
      if ((COMP_CWORD == 2)); then
        COMPREPLY=($(compgen -W '${below.map(({ words }) => words[1]).join(' ')}' -- "$current"))
        return
      fi
      command="$command \${COMP_WORDS[2]}" ;;`,
  );
  const values = commands.flatMap((command) =>
    command.flags.flatMap(({ name, char, value }) =>
      value === undefined
        ? []
        : `    ${[`--${name}`, ...(char ? [`-${char}`] : [])].map((flag) => `'${command.words.join(' ')} ${flag}'`).join(' | ')}) ${
            value === 'files' ? '' : `COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$current")); `
          }return ;;`,
    ),
  );
  const words = commands.map(
    ({ words, flags, argument }) =>
      `    '${words.join(' ')}') flags='${flags.map(({ name }) => `--${name}`).join(' ')}'${
        argument && argument !== 'files' ? ` words='${argument.join(' ')}'` : ''
      } ;;`,
  );
  return `# bash completion for encoderfile; made by \`encoderfile completion bash\`
_encoderfile() {
  local current=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} flags='' words=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${[...firstWords(commands).keys(), '--help', '--version'].join(' ')}' -- "$current"))
    return
  fi
  case $command in
${topics.join('\n')}
  esac
  case "$command \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('\n')}
  esac
  case $command in
${words.join('\n')}
  esac
  if [[ $current == -* ]]; then words="$flags --help"; fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi
}
complete -o bashdefault -o default -F _encoderfile encoderfile
`;
}
