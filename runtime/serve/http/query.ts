import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';

/** Returns a query parameter with a fixed set of values, ignoring case; the first value is the default. */
export function wordOf<const Words extends readonly [string, ...string[]]>(
  c: Context,
  name: string,
  words: Words,
  fallback: Words[number],
): Words[number] {
  return wordIn(c.req.query(name), name, words, fallback);
}

/** Checks the value of a parameter in the same way; undefined if the query does not contain the parameter. */
export function wordIn<const Words extends readonly [string, ...string[]]>(
  given: string | undefined,
  name: string,
  words: Words,
  fallback: Words[number],
): Words[number] {
  if (given === undefined || given === '') return fallback;
  const word = words.find((candidate) => candidate === given.trim().toLowerCase());
  if (word === undefined) throw wrong(name, given, `one of ${words.join(', ')}`);
  return word;
}

export function wholeNumberOf(
  c: Context,
  name: string,
  { min, max, fallback }: { min: number; max: number; fallback: number },
): number {
  const given = c.req.query(name);
  if (given === undefined || given === '') return fallback;
  const number = Number(given);
  if (/^\d+$/.test(given) && number >= min && number <= max) return number;
  throw wrong(name, given, `a whole number from ${min} to ${max}`);
}

/** Returns a required query parameter; `what` completes the error message. */
export function requiredText(c: Context, name: string, what: string): string {
  const given = c.req.query(name)?.trim() ?? '';
  if (given !== '') return given;
  const message = `${name} is missing: ${what}`;
  throw new AppError('InputError', message, { details: [{ location: `query.${name}`, message }] });
}

function wrong(name: string, given: string, rule: string): AppError {
  const message = `${name} must be ${rule}, not ${JSON.stringify(given.slice(0, 100))}`;
  return new AppError('InputError', message, {
    details: [{ location: `query.${name}`, message, value: given.slice(0, 100) }],
  });
}

/**
 * Throws an InputError if a query contains a parameter twice, because a proxy in front of this
 * server or a provider behind it could use the other value. Lists can be repeated: parameters for
 * which `isRepeatable` returns true, and parameters whose name ends with `[]`.
 */
export function requireDistinctParameters(url: string, isRepeatable: (name: string) => boolean): void {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('&', start)) return;
  const seen = new Set<string>();
  for (const name of new URLSearchParams(url.slice(start)).keys()) {
    if (!seen.has(name)) seen.add(name);
    else if (!isRepeatable(name) && !name.endsWith('[]')) throw repeated(name.slice(0, 64));
  }
}

function repeated(name: string): AppError {
  const message = `parameter ${JSON.stringify(name)} appears more than once in the query string. Send it once.`;
  return new AppError('InputError', message, { details: [{ location: `query.${name}`, message }] });
}
