import { type CompletedCommand, firstWords, type Offer, secondWords } from './describe.ts';

/** Completion for fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const topics = secondWords(commands);
  const lines = [
    '# fish completion for encoderfile; made by `encoderfile completion fish`',
    'complete -c encoderfile -f',
    'complete -c encoderfile -n __fish_use_subcommand -l version -d "Print the version"',
    'complete -c encoderfile -l help -d "Show help"',
    ...[...firstWords(commands)].map(
      ([word, summary]) =>
        `complete -c encoderfile -n __fish_use_subcommand -a ${word} -d ${quoted(summary)}`,
    ),
  ];
  for (const [topic, below] of topics) {
    const names = below.map(({ words }) => words[1]).join(' ');
    const condition = `__fish_seen_subcommand_from ${topic}; and not __fish_seen_subcommand_from ${names}`;
    for (const { words, summary } of below)
      lines.push(`complete -c encoderfile -n '${condition}' -a ${words[1]} -d ${quoted(summary)}`);
  }
  for (const { words, flags, argument } of commands) {
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const start = `complete -c encoderfile -n '${seen}'`;
    for (const { name, char, summary, value } of flags) {
      const short = char === undefined ? '' : ` -s ${char}`;
      lines.push(
        `${start}${short} -l ${name} -d ${quoted(summary)}${value === undefined ? '' : ` -r ${offered(value)}`}`,
      );
    }
    if (argument !== undefined) lines.push(`${start} ${offered(argument)}`);
  }
  return `${lines.join('\n')}\n`;
}

const offered = (offer: Offer): string => (offer === 'files' ? '-F' : `-f -a ${quoted(offer.join(' '))}`);
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
