import { parseArgs } from 'node:util';
import { suggest } from '../../core/suggest.ts';
import { type Command, type Invocation, type Option, UsageError } from './command.ts';

type Options = Readonly<Record<string, Option>>;

/** Reads a command's arguments. Precedence: flag, environment, default. */
export function parseInvocation(
  command: Command,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  shared: Options = {},
): Invocation {
  const options = { ...shared, ...command.options };
  const { values, positionals, afterDashes } = parse({ ...command, options }, args);
  if (positionals.length > 0 && !command.positionals) {
    throw new UsageError(`Unexpected argument ${JSON.stringify(positionals[0])}.`);
  }
  const find = (name: string): { option: Option; fromEnv: string | undefined } => {
    const option = options[name];
    if (!option) throw new Error(`no option ${name}`);
    // A variable that is empty counts as not set.
    return { option, fromEnv: (option.env && env[option.env]) || undefined };
  };
  const invocation: Invocation = {
    positionals,
    afterDashes,
    given: (name) => values.has(name),
    source: (name) => {
      const { option, fromEnv } = find(name);
      return !values.has(name) && option.env && fromEnv !== undefined ? option.env : `--${name}`;
    },
    value(name) {
      const { option, fromEnv } = find(name);
      return values.get(name)?.at(-1) ?? fromEnv ?? option.fallback;
    },
    values(name) {
      const otherwise = invocation.value(name);
      return values.get(name) ?? (otherwise === undefined ? [] : [otherwise]);
    },
    flag: (name) => SWITCH_ON.includes(invocation.value(name) ?? ''),
  };
  for (const [name, option] of Object.entries(options)) checkChoice(name, option, invocation);
  return invocation;
}

const SWITCH_ON = ['true', '1'];
const SWITCH_VALUES = [...SWITCH_ON, 'false', '0'];

function parse(
  command: Command,
  args: readonly string[],
): { values: Map<string, string[]>; positionals: string[]; afterDashes: string[] | undefined } {
  const options = Object.entries(command.options).map(([name, { short, value }]) => [
    name,
    { type: value === undefined ? 'boolean' : 'string', ...(short ? { short } : {}) },
  ]);
  const { tokens } = parseArgs({
    args: [...args],
    // Its own refusals have three lines, and tell of texts where none are taken.
    strict: false,
    tokens: true,
    options: Object.fromEntries(options) as Record<string, { type: 'boolean' | 'string' }>,
  });
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  let afterDashes: string[] | undefined;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') afterDashes = [];
    if (token.kind === 'positional') {
      positionals.push(token.value);
      afterDashes?.push(token.value);
    }
    if (token.kind === 'option') {
      values.set(token.name, [...(values.get(token.name) ?? []), valueOf(token, command)]);
    }
  }
  return { values, positionals, afterDashes };
}

interface OptionToken {
  readonly name: string;
  /** As it was written: `-f`, `--format`. */
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether the value came as in `--format=json`. */
  readonly inlineValue: boolean | undefined;
}

function valueOf({ name, rawName, value, inlineValue }: OptionToken, command: Command): string {
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (!option) {
    const meant = suggest(name, Object.keys(command.options));
    const texts = command.positionals ? ' A text that starts with a dash goes after --.' : '';
    const wayOut = meant === undefined ? texts : ` Did you mean --${meant}?`;
    throw new UsageError(`Unknown option '${rawName}'.${wayOut}`);
  }
  if (option.value === undefined) return value ?? 'true';
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} <${option.value}>.`);
  // What comes out of a variable that is not set is meant as no value, and not as this one.
  if (value === '' && !option.choices && !option.mayBeEmpty) {
    throw new UsageError(
      `--${name} must not be empty. Leave it out, or give a value: --${name} <${option.value}>.`,
    );
  }
  if (!inlineValue && /^-./.test(value)) {
    const quoted = JSON.stringify(value);
    throw new UsageError(
      `${rawName} needs a value; ${quoted} looks like an option. If it is the value, write --${name}=${quoted}.`,
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
