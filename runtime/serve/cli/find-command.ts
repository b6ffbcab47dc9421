import { suggest } from '../../core/suggest.ts';
import {
  type Command,
  type CommandGroup,
  isGroup,
  type Option,
  type Program,
  UsageError,
} from './command.ts';

export interface FoundCommand {
  /** As typed; empty is the program itself. */
  readonly words: readonly string[];
  /** undefined: no command is named, so the group's help is wanted. */
  readonly command: Command | undefined;
  readonly group: Program | CommandGroup;
  /** What follows the command's name, together with the program's options that stood before it. */
  readonly args: readonly string[];
  /** Whether help was asked for in words. */
  readonly help: boolean;
  /** The next word names no command of the group. */
  readonly problem?: UsageError;
}

/** The command or group that a command line names. */
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
      return { words, command: entry, group, args: [...leading, ...rest.slice(index + 1)], help };
    }
    group = entry;
  }
  return { words, command: undefined, group, args: leading, help };
}

export const isHelp = (word: string): boolean => word === '--help' || word === '-h';

/** Options of the program that stand for one of its commands. */
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
  const hint = meant === undefined ? '' : ` Did you mean \`${[program.name, ...words, meant].join(' ')}\`?`;
  const typed = JSON.stringify([...words, name].join(' '));
  return new UsageError(`Unknown command ${typed}.${hint} Commands: ${known.join(', ')}.`);
}

/** `--config-file x list` is `list --config-file x`. */
function takeLeadingOptions(
  options: Readonly<Record<string, Option>>,
  argv: readonly string[],
): { leading: readonly string[]; rest: readonly string[] } {
  let at = 0;
  for (let word = argv[at]; word !== undefined; word = argv[at]) {
    const [, name = '', inline] = /^--([^=]+)(=[^]*)?$/.exec(word) ?? [];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) break;
    at += option.value === undefined || inline !== undefined ? 1 : 2;
  }
  return { leading: argv.slice(0, at), rest: argv.slice(at) };
}
