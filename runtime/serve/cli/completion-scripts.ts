import type { Program } from './command.ts';
import { type CompletionRow, completionTable } from './completion-table.ts';

export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

/** Creates a static completion script. It never calls the program, so completion is instant. */
export function completionScript(shell: CompletionShell, program: Program): string {
  const rows = completionTable(program);
  const name = shellWord(program.name);
  const id = `_${program.name.replaceAll(/\W/g, '_')}`;
  return SCRIPTS[shell](rows, name, id);
}

/** A name as one word of a shell. Executables can be renamed to anything. */
const shellWord = (name: string): string =>
  /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;

/** The cases shared by the bash and zsh scripts: which words form a command, and what can follow it. */
const cases = (rows: readonly CompletionRow[]): string => `  for word in "\${before[@]}"; do
    case "$at $word" in
      ${rows
        .slice(1)
        .map(({ path }) => `' ${path}'`)
        .join('|')}) at="$at $word" ;;
    esac
    last=$word
  done
  case "$at" in
${rows.map(({ path, commands, options }) => `    '${spaced(path)}') offered='${commands.join(' ')}' flags='${options.join(' ')}' ;;`).join('\n')}
  esac
  if [[ $current == -* ]]; then offered=$flags; fi
  case "$at $last" in
${choiceLines(rows)
  .map(([key, words]) => `    '${key}') offered='${words}' ;;`)
  .join('\n')}
  esac`;

const bashScript = (
  rows: readonly CompletionRow[],
  name: string,
  id: string,
): string => `# bash completion for ${name}; made by \`${name} completion bash\`
${id}() {
  local current=\${COMP_WORDS[COMP_CWORD]} at='' last='' offered='' flags='' word
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${cases(rows)}
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o bashdefault -o default -F ${id} ${name}
`;

const zshScript = (rows: readonly CompletionRow[], name: string, id: string): string => `#compdef ${name}
# zsh completion for ${name}; made by \`${name} completion zsh\`
${id}() {
  local current=$words[CURRENT] at='' last='' offered='' flags='' word
  local -a before
  before=("\${(@)words[2,CURRENT-1]}")
${cases(rows)}
  if [[ -n $offered ]]; then compadd -- \${(s: :)offered}; else _files; fi
}
compdef ${id} ${name}
`;

const fishScript = (
  rows: readonly CompletionRow[],
  name: string,
  id: string,
): string => `# fish completion for ${name}; made by \`${name} completion fish\`
function _${id}_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    contains -- "$at $word" ${rows
      .slice(1)
      .map(({ path }) => `' ${path}'`)
      .join(' ')}; and set at "$at $word"
  end
  test "$at" = "$argv[1]"
end
${rows.flatMap((row) => fishLines(row, name, `_${id}_at`)).join('\n')}
`;

function fishLines({ path, commands, options, choices }: CompletionRow, name: string, at: string): string[] {
  const start = `complete -c ${name} -n "${at} '${spaced(path)}'"`;
  return [
    ...(commands.length > 0 ? [`${start} -f -a '${commands.join(' ')}'`] : []),
    ...options.map((option) => {
      const values = choices[option];
      return `${start} -l ${option.slice(2)}${values ? ` -x -a '${values.join(' ')}'` : ''}`;
    }),
  ];
}

const spaced = (path: string): string => (path === '' ? '' : ` ${path}`);

const choiceLines = (rows: readonly CompletionRow[]): (readonly [key: string, words: string])[] =>
  rows.flatMap(({ path, choices }) =>
    Object.entries(choices).map(
      ([option, values]) => [`${spaced(path)} ${option}`, values.join(' ')] as const,
    ),
  );

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
