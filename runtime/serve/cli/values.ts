import { INHERITED_NAMES } from '#core/cli/common-flags.ts';
import { numberIn } from '#core/numbers/number-in.ts';
import { DURATION_RULE, parseDuration, parseDurationOrZero } from '#core/time/duration.ts';
import { type Invocation, type Option, UsageError } from './command.ts';

/** Returns the value of an integer option; undefined if the option is not set and has no default. */
export function wholeNumberOption(
  invocation: Invocation,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const text = invocation.value(name);
  if (text === undefined) return undefined;
  const number = numberIn(text, { min, max });
  if (number !== undefined) return number;
  const given = `${invocation.source(name)}: ${JSON.stringify(text)}`;
  throw new UsageError(`${given} is not a whole number from ${min} to ${max}.`);
}

/** Same as `wholeNumberOption`, for an option with a default. */
export function requiredNumber(
  invocation: Invocation,
  name: string,
  limits: { min: number; max: number },
): number {
  const number = wholeNumberOption(invocation, name, limits);
  if (number === undefined) throw new Error(`--${name} has no fallback`);
  return number;
}

/** Returns the value of a duration option in milliseconds. If `zero` is set, 0 is allowed. */
export function durationOption(
  invocation: Invocation,
  name: string,
  { zero = false }: { zero?: boolean } = {},
): number | undefined {
  const text = invocation.value(name);
  if (text === undefined) return undefined;
  const milliseconds = zero ? parseDurationOrZero(text) : parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  const rule = `${DURATION_RULE}${zero ? ', or 0' : ''}`;
  throw new UsageError(`${invocation.source(name)}: ${JSON.stringify(text)} is not ${rule}.`);
}

/**
 * Returns the comma-separated items in the option's value. If the flag is repeated, the items are
 * combined.
 */
export function listOption(invocation: Invocation, name: string): string[] {
  return invocation
    .values(name)
    .flatMap((text) => text.split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/**
 * Adds the names of the environment variables for the options, for example ENCODERFILE_HTTP_PORT
 * for `--http-port`, and the names that the program with this prefix inherits from an earlier
 * program. An option that only exists for compatibility with an earlier program has no variable,
 * because it did not have one in that program.
 */
export function withEnvironment(
  prefix: string,
  options: Readonly<Record<string, Option>>,
): Record<string, Option> {
  const inherited = INHERITED_NAMES[prefix] ?? {};
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => {
      const env = `${prefix}_${name.toUpperCase().replaceAll('-', '_')}`;
      const aliases = Object.hasOwn(inherited, name) ? inherited[name] : undefined;
      return [
        name,
        { ...(option.origin === undefined ? { env } : {}), ...option, ...(aliases ? { aliases } : {}) },
      ];
    }),
  );
}

/**
 * Splits `NAME=value`. The value can be empty and can contain any text. `source` is the name of the
 * option for the error message.
 */
export function nameAndValue(text: string, source?: string): readonly [name: string, value: string] {
  const end = text.indexOf('=');
  const name = text.slice(0, Math.max(0, end)).trim();
  if (name !== '') return [name, text.slice(end + 1)];
  const where = source === undefined ? '' : `${source}: `;
  throw new UsageError(`${where}${JSON.stringify(text)} must have the form <name>=<value>.`);
}
