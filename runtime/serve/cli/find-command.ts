import { suggest } from '#core/text/suggest.ts';
import {
  type Command,
  type CommandGroup,
  isGroup,
  type Option,
  type Program,
  UsageError,
} from './command.ts';
import { freeName, optionNames, type Options } from './option-table.ts';

export interface FoundCommand {
  /** The command's words as typed; empty for the program itself. */
  readonly words: readonly string[];
  /** The command; undefined if the words only name a group. The help of the group is then printed. */
  readonly command: Command | undefined;
  readonly group: Program | CommandGroup;
  /** The arguments after the command's name, and the program options before it. */
  readonly args: readonly string[];
  /** Whether help was requested with the word `help` or with --help. */
  readonly help: boolean;
  /** Set if the next word is not a command in the group. */
  readonly problem?: UsageError;
}

/** Finds the command or group that a command line names. */
export function findCommand(program: Program, argv: readonly string[]): FoundCommand {
  const { leading, rest } = takeLeadingOptions(program.options ?? {}, argv);
  const words: string[] = [];
  let group: Program | CommandGroup = program;
  let help = false;
  for (const [index, typed] of rest.entries()) {
    if (isHelp(typed) || typed === 'help') {
      help = true;
      if (typed === 'help') continue;
      break;
    }
    const name = (words.length === 0 && COMMANDS_OF_OPTIONS.get(typed)) || typed;
    const entry: Command | CommandGroup | undefined = Object.hasOwn(group.commands, name)
      ? group.commands[name]
      : undefined;
    if (!entry)
      return {
        words,
        command: undefined,
        group,
        args: [],
        help,
        problem: unknown(name, words, { group, program }),
      };
    words.push(name);
    if (!isGroup(entry)) {
      return {
        words,
        command: entry,
        group,
        args: [...afterCommand(leading, entry.options), ...rest.slice(index + 1)],
        help,
      };
    }
    group = entry;
  }
  return { words, command: undefined, group, args: afterCommand(leading, {}), help };
}

export const isHelp = (word: string): boolean => word === '--help' || word === '-h';

/** Program options that are aliases of commands. */
const COMMANDS_OF_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['--version', 'version'],
  ['-V', 'version'],
  ['--licenses', 'licenses'],
]);

function unknown(
  name: string,
  words: readonly string[],
  { group, program }: { group: Program | CommandGroup; program: Program },
): UsageError {
  const known = Object.keys(group.commands);
  const meant = suggest(name, known);
  const hint =
    meant === undefined
      ? words.length === 0 && program.explainUnknown?.(name)
      : `Did you mean \`${[program.name, ...words, meant].join(' ')}\`?`;
  const typed = JSON.stringify([...words, name].join(' '));
  return new UsageError(
    [`Unknown command ${typed}.`, ...(hint ? [hint] : []), `Commands: ${known.join(', ')}.`].join(' '),
  );
}

/** A program option before the command. */
interface LeadingOption {
  readonly name: string;
  readonly option: Option;
  /** The value of the option is `=x` or a separate word. */
  readonly rest: readonly [inline: string, ...words: string[]];
}

/** `--config x list` is equivalent to `list --config x`. */
function takeLeadingOptions(
  options: Options,
  argv: readonly string[],
): { leading: readonly LeadingOption[]; rest: readonly string[] } {
  const all = Object.entries(options).map(([name, option]) => ({ name, option }));
  const leading: LeadingOption[] = [];
  let at = 0;
  for (let word = argv[at]; word !== undefined; word = argv[at]) {
    const [, long = '', inline, short = '', attached] = LEADING.exec(word) ?? [];
    const found = all.find(({ name, option }) =>
      short === '' ? optionNames(name, option).includes(long) : option.short === short,
    );
    if (!found) break;
    const value = attached === undefined ? inline : `=${attached}`;
    const words = found.option.value === undefined || value !== undefined ? 1 : 2;
    leading.push({ ...found, rest: [value ?? '', ...argv.slice(at + 1, at + words)] });
    at += words;
  }
  return { leading, rest: argv.slice(at) };
}

const LEADING = /^(?:--([^=]+)(=[^]*)?|-(\w)([^]+)?)$/;

/** The program's options, by the names under which they are accepted after this command. */
function afterCommand(leading: readonly LeadingOption[], own: Options): string[] {
  const taken = new Set(Object.entries(own).flatMap(([name, option]) => optionNames(name, option)));
  return leading.flatMap(({ name, option, rest: [inline, ...words] }) => [
    `--${freeName(name, option, taken) ?? name}${inline}`,
    ...words,
  ]);
}
