import { type Invocation, UsageError } from '../../../../serve/cli/command.ts';
import { EXPIRY_RULE, parseExpiry } from '../../../../core/expiry.ts';
import { parseSpan } from '../../../../core/time-span.ts';
import { parseTimestamp } from '../../../../core/timestamp.ts';
import { clearableValue, optionValue } from './option-value.ts';

/** When something ends: `30d` from now, a date, or null for `never`. */
export function expiryOf(invocation: Invocation, name: string, now: number): number | null | undefined {
  const time = clearableValue(invocation, name, {
    rule: EXPIRY_RULE,
    none: 'never',
    parse: (text) => parseExpiry(text, now),
  });
  if (typeof time === 'number' && time <= now) {
    const given = JSON.stringify(invocation.value(name));
    throw new UsageError(
      `${invocation.source(name)}: ${given} is over already. Choose a later time, or never.`,
    );
  }
  return time;
}

/** A time of the past: `24h` ago, or a date. */
export const pastOf = (invocation: Invocation, name: string, now: number): number | undefined =>
  optionValue(invocation, name, {
    rule: 'a number and s, m, h, d or w, as 24h, which ended now, or a date, as 2026-01-31',
    parse: (text) => {
      const span = parseSpan(text);
      return span === undefined ? parseTimestamp(text) : now - span;
    },
  });
