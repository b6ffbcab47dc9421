import { EXPIRY_RULE, parseExpiry } from '#core/time/expiry.ts';
import { parseSpan } from '#core/time/time-span.ts';
import { LAST_TIME, parseTimestamp } from '#core/time/timestamp.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { clearableValue, optionValue } from './changes.ts';

const MAX_DIGITS = 8;

/** Returns `rule` for an invalid duration, or a more specific rule if only its number is too large. */
export const spanRule =
  (rule: string) =>
  (text: string): string => {
    const [, digits = ''] = /^(\d+)[smhdw]$/.exec(text.trim()) ?? [];
    return digits.length > MAX_DIGITS
      ? `a duration with a number of at most ${'9'.repeat(MAX_DIGITS)}`
      : rule;
  };

/** Parses an expiry to milliseconds since 1970: `30d` from now, or a date. `never` is null. */
export function expiryOf(invocation: Invocation, name: string, now: number): number | null | undefined {
  const time = clearableValue(invocation, name, {
    rule: (text) => (isTooLate(parseExpiry(text, now)) ? LATE : spanRule(EXPIRY_RULE)(text)),
    none: 'never',
    parse(text) {
      const end = parseExpiry(text, now);
      return isTooLate(end) ? undefined : end;
    },
  });
  if (typeof time === 'number' && time <= now) {
    const text = JSON.stringify(invocation.value(name));
    throw new UsageError(`${invocation.source(name)}: ${text} is in the past. Use a later time, or never.`);
  }
  return time;
}

const isTooLate = (time: number | undefined): boolean => time !== undefined && time > LAST_TIME;
const LATE = 'a time up to the year 9999';

/** Parses a past time to milliseconds since 1970: a duration before now, such as `24h`, or a date. */
const pastTimeOf = (invocation: Invocation, name: string, now: number): number | undefined =>
  optionValue(invocation, name, {
    rule: spanRule('a duration before now, e.g. 24h (units s, m, h, d and w), or a date, e.g. 2026-01-31'),
    parse: (text) => {
      const span = parseSpan(text);
      return span === undefined ? parseTimestamp(text) : now - span;
    },
  });

/** Parses the range of `--from` and `--to`, either of which can be missing. */
export function pastRangeOf(
  invocation: Invocation,
  now: number,
): { readonly from: number | undefined; readonly to: number | undefined } {
  const [from, to] = [pastTimeOf(invocation, 'from', now), pastTimeOf(invocation, 'to', now)];
  if (from === undefined || to === undefined || from < to) return { from, to };
  const [start, end] = ['from', 'to'].map((name) => JSON.stringify(invocation.value(name)));
  throw new UsageError(
    `${invocation.source('from')}: ${start} is not before ${end}, the end. Use an earlier start or a later end.`,
  );
}
