import { type Commands, isGroup, type Option, type Program } from './command.ts';
import { optionTable, visibleOptions } from './option-table.ts';

/** The completions that a shell can offer after the words of a command. */
export interface CompletionRow {
  /** Path of the command, for example `config args`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly string[];
  readonly options: readonly string[];
  /** Allowed values by option, for options with a list of choices. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
}

export function completionTable(program: Program): CompletionRow[] {
  const shared = program.options ?? {};
  return [
    {
      path: '',
      commands: Object.keys(program.commands),
      ...offers({ ...shared, help: HELP, version: VERSION, licenses: LICENSES }),
    },
    ...rowsOf(program.commands, '', shared),
  ];
}

function rowsOf(
  commands: Commands,
  above: string,
  shared: Readonly<Record<string, Option>>,
): CompletionRow[] {
  return Object.entries(commands).flatMap(([name, entry]) => {
    const path = `${above} ${name}`.trim();
    if (!isGroup(entry))
      return [
        { path, commands: [], ...offers({ ...optionTable(entry.options, shared).options, help: HELP }) },
      ];
    const row = { path, commands: Object.keys(entry.commands), ...offers({ ...shared, help: HELP }) };
    return [row, ...rowsOf(entry.commands, path, shared)];
  });
}

const HELP: Option = { help: 'Show help' };
const VERSION: Option = { help: 'Print the version' };
const LICENSES: Option = { help: 'Print the licenses of all software in the program' };

function offers(all: Readonly<Record<string, Option>>): Pick<CompletionRow, 'options' | 'choices'> {
  const options = visibleOptions(all);
  const chosen = Object.entries(options).flatMap(([name, { choices }]) =>
    choices ? [[`--${name}`, choices] as const] : [],
  );
  return { options: Object.keys(options).map((name) => `--${name}`), choices: Object.fromEntries(chosen) };
}
