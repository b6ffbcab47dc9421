import { parseArgs } from 'node:util';
import { suggest } from '#core/text/suggest.ts';
import { type Command, type Invocation, type Option, UsageError } from './command.ts';
import {
  chosenWord,
  variableOf,
  type Options,
  type OptionTable,
  optionTable,
  visibleOptions,
} from './option-table.ts';

/** Parses the arguments of a command. Precedence: flag, environment, default. */
export function parseInvocation(
  command: Command,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  shared: Options = {},
): Invocation {
  const table = optionTable(command.options, shared);
  const { typed, positionals, afterDashes } = parse(command, table, args);
  if (positionals.length > 0 && !command.positionals) {
    throw new UsageError(`Unexpected argument ${JSON.stringify(positionals[0])}.`);
  }
  const find = (name: string): { option: Option; words: readonly TypedOption[] } => {
    const shown = table.shownNames.get(name) ?? name;
    const option = table.options[shown];
    if (!option) throw new Error(`no option ${name}`);
    return { option, words: typed.filter((word) => word.shown === shown) };
  };
  const invocation: Invocation = {
    positionals,
    afterDashes,
    given: (name) => typed.some(({ shown }) => shown === (table.shownNames.get(name) ?? name)),
    source(name) {
      const { option, words } = find(name);
      return words.at(-1)?.flag ?? variableOf(option, env)?.name ?? `--${name}`;
    },
    value: (name) => invocation.values(name).at(-1),
    values(name) {
      const { option, words } = find(name);
      if (words.length > 0) return words.map(({ flag, value }) => chosenWord(option, flag, value));
      const otherwise = variableOf(option, env)?.value ?? option.fallback;
      return otherwise === undefined ? [] : [otherwise];
    },
    flag: (name) => SWITCH_ON.includes(invocation.value(name) ?? ''),
  };
  for (const [name, option] of Object.entries(table.options)) checkChoice(name, option, invocation);
  return invocation;
}

const SWITCH_ON = ['true', '1'];
const SWITCH_VALUES = [...SWITCH_ON, 'false', '0'];

interface TypedOption {
  readonly shown: string;
  /** The long form of the option as typed: `--format`. */
  readonly flag: string;
  readonly value: string;
}

interface CommandLine {
  readonly typed: readonly TypedOption[];
  readonly positionals: readonly string[];
  readonly afterDashes: readonly string[] | undefined;
}

interface FlagType {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
}

function parse(command: Command, { options, shownNames }: OptionTable, args: readonly string[]): CommandLine {
  const types = [...shownNames].map(([name, shown]): [string, FlagType] => {
    const { short, value } = options[shown] ?? {};
    const type = value === undefined ? 'boolean' : 'string';
    return [name, { type, ...(short && name === shown ? { short } : {}) }];
  });
  const { tokens } = parseArgs({
    args: [...args],
    // Node's strict-mode messages have three lines and mention positional arguments even if there
    // are none.
    strict: false,
    tokens: true,
    options: Object.fromEntries(types),
  });
  const typed: TypedOption[] = [];
  const positionals: string[] = [];
  let afterDashes: string[] | undefined;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') afterDashes = [];
    if (token.kind === 'positional') {
      positionals.push(token.value);
      afterDashes?.push(token.value);
    }
    if (token.kind === 'option') {
      const shown = shownNames.get(token.name);
      const option = shown === undefined ? undefined : options[shown];
      if (shown === undefined || !option) throw unknownOption(token, command, options);
      typed.push({ shown, flag: `--${token.name}`, value: valueOf(token, option) });
    }
  }
  return { typed, positionals, afterDashes };
}

interface OptionToken {
  readonly name: string;
  /** The option as written: `-f`, `--format`. */
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether the value was written inline, as in `--format=json`. */
  readonly inlineValue: boolean | undefined;
}

function unknownOption({ name, rawName }: OptionToken, command: Command, options: Options): UsageError {
  const meant = suggest(name, Object.keys(visibleOptions(options)));
  const texts = command.positionals ? ' Put arguments that start with a dash after --.' : '';
  const wayOut = meant === undefined ? texts : ` Did you mean --${meant}?`;
  return new UsageError(`Unknown option '${rawName}'.${wayOut}`);
}

function valueOf({ name, rawName, value, inlineValue }: OptionToken, option: Option): string {
  if (option.value === undefined) return value ?? 'true';
  if (value === undefined) throw new UsageError(`${rawName} requires a value: ${rawName} <${option.value}>.`);
  // An unset shell variable expands to an empty string, which is not an intended value.
  if (value === '' && !option.choices && !option.canBeEmpty) {
    throw new UsageError(
      `--${name} must not be empty. Remove it, or set a value: --${name} <${option.value}>.`,
    );
  }
  if (!inlineValue && /^-./.test(value)) {
    const quoted = JSON.stringify(value);
    throw new UsageError(
      `${rawName} requires a value, but ${quoted} looks like an option. To pass it as the value, write --${name}=${quoted}.`,
    );
  }
  return value;
}

function checkChoice(name: string, option: Option, invocation: Invocation): void {
  const choices = option.choices ?? (option.value === undefined ? SWITCH_VALUES : undefined);
  const given = invocation.values(name).find((value) => !choices?.includes(value));
  if (!choices || given === undefined) return;
  throw new UsageError(
    `${invocation.source(name)}: ${JSON.stringify(given)} is not one of ${choices.join(', ')}.`,
  );
}
