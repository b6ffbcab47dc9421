import { lookup } from '#core/values/lookup.ts';
import { type NumberLimits, numberIn } from '#core/numbers/number-in.ts';
import type { Environment } from '#core/text/expand.ts';
import { DURATION_RULE, parseDuration, parseDurationOrZero } from '#core/time/duration.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { variableOf } from '#serve/cli/option-table.ts';
import { GATEWAY_OPTIONS } from './options.ts';

/**
 * Values of flags and environment variables, which take precedence over the file. All methods throw a
 * UsageError for invalid values.
 */
export interface FlagsAndEnv {
  text(name: string): string | undefined;
  flag(name: string): boolean | undefined;
  number(name: string, limits: NumberLimits): number | undefined;
  /** `zero`: whether 0 is allowed. */
  milliseconds(name: string, options?: { readonly zero?: boolean }): number | undefined;
  /** Returns the items of a comma-separated list. */
  list(name: string): readonly string[] | undefined;
  /** Whether the flag is set on the command line, which other users of the machine can read. */
  onCommandLine(name: string): boolean;
  /** The name of the flag or variable, for messages. */
  source(name: string): string;
  /** Returns a variable that has no corresponding flag. An empty variable counts as not set. */
  variable(name: string): string | undefined;
}

/** The flags on a command line, as data that can be sent to another thread. */
export type CopiedFlags = Readonly<
  Record<string, { readonly source: string; readonly value: string | undefined }>
>;

/** Copies the flags that a command supports. */
export const copyFlags = (invocation: Invocation, options: Readonly<Record<string, unknown>>): CopiedFlags =>
  Object.fromEntries(
    Object.keys(options)
      .filter((name) => invocation.given(name))
      .map((name) => [name, { source: invocation.source(name), value: invocation.value(name) }]),
  );

/** Reads copied flags, and the variables. */
export const readCopiedFlags = (flags: CopiedFlags, env: Environment): FlagsAndEnv =>
  readFlagsAndEnv(
    {
      given: (name) => Object.hasOwn(flags, name),
      source: (name) => flags[name]?.source ?? `--${name}`,
      value: (name) => flags[name]?.value,
    },
    GATEWAY_OPTIONS,
    env,
  );

/** Reads the flags that a command supports, and the variables for all flags: variables apply to every command. */
export function readFlagsAndEnv(
  invocation: Pick<Invocation, 'given' | 'source' | 'value'>,
  options: Readonly<Record<string, unknown>>,
  env: Environment,
): FlagsAndEnv {
  const variable = (name: string): string | undefined => (Object.hasOwn(env, name) && env[name]) || undefined;
  const fromEnv = (name: string): ReturnType<typeof variableOf> => {
    const option = GATEWAY_OPTIONS[name];
    return option && variableOf(option, env);
  };
  const onCommandLine = (name: string): boolean => Object.hasOwn(options, name) && invocation.given(name);
  const source = (name: string): string =>
    onCommandLine(name)
      ? invocation.source(name)
      : (fromEnv(name)?.name ?? GATEWAY_OPTIONS[name]?.env ?? `--${name}`);
  const text = (name: string): string | undefined =>
    onCommandLine(name) ? invocation.value(name) : fromEnv(name)?.value;
  const refuse = (name: string, value: string, rule: string): never => {
    throw new UsageError(`${source(name)}: ${JSON.stringify(value)} is not ${rule}.`);
  };
  return {
    text,
    onCommandLine,
    source,
    variable,
    flag(name) {
      const value = text(name);
      return value === undefined ? undefined : (SWITCH[value] ?? refuse(name, value, 'true or false'));
    },
    number(name, { min, max, whole = true }) {
      const value = text(name);
      if (value === undefined) return undefined;
      const rule = `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`;
      return numberIn(value, { min, max, whole }) ?? refuse(name, value, rule);
    },
    milliseconds(name, { zero = false } = {}) {
      const value = text(name);
      const parse = zero ? parseDurationOrZero : parseDuration;
      return value === undefined ? undefined : (parse(value) ?? refuse(name, value, DURATION_RULE));
    },
    list: (name) =>
      text(name)
        ?.split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
  };
}

const SWITCH = lookup<boolean>({ true: true, '1': true, false: false, '0': false });
