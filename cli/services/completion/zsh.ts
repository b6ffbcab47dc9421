import {
  type CompletedCommand,
  type CompletedFlag,
  firstWords,
  type Offer,
  secondWords,
} from './describe.ts';

/** Completion for zsh, to be sourced after compinit. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const topics = [...secondWords(commands)].map(
    ([topic, below]) => `    ${topic})
      if (( CURRENT == 3 )); then
        choices=(${below.map(({ words, summary }) => quoted(`${words[1]}:${summary}`)).join(' ')})
        _describe command choices
        return
      fi
      command="$command $words[3]"
      shift words; (( CURRENT-- )) ;;`,
  );
  const cases = commands.map(({ words, flags, argument }) => {
    const specs = [
      ...flags.map(flagSpec),
      quoted('--help[Show help]'),
      ...(argument === undefined ? [] : [quoted(`1:argument:${action(argument)}`)]),
    ];
    return `    '${words.join(' ')}')\n      _arguments \\\n        ${specs.join(' \\\n        ')} ;;`;
  });
  const first = [...firstWords(commands)].map(([word, summary]) => quoted(`${word}:${summary}`));
  return `#compdef encoderfile
# zsh completion for encoderfile; made by \`encoderfile completion zsh\`
_encoderfile() {
  local -a choices
  local command=$words[2]
  if (( CURRENT == 2 )); then
    choices=(${first.join(' ')})
    _describe command choices
    return
  fi
  case $command in
${topics.join('\n')}
  esac
  shift words; (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _encoderfile encoderfile
`;
}

function flagSpec({ name, char, summary, value }: CompletedFlag): string {
  const rest = `[${summary.replaceAll(/[[\]:]/g, String.raw`\$&`)}]${value === undefined ? '' : `:${name}:${action(value)}`}`;
  return char === undefined
    ? quoted(`--${name}${rest}`)
    : `'(-${char} --${name})'{-${char},--${name}}${quoted(rest)}`;
}

const action = (offer: Offer): string => (offer === 'files' ? '_files' : `(${offer.join(' ')})`);
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
