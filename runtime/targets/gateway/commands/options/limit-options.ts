import { lookup } from '#core/values/lookup.ts';
import { parseSpan } from '#core/time/time-span.ts';
import { nanosOf, type Nanos } from '../../shared/money.ts';

export const AMOUNT_RULE = 'an amount in dollars, e.g. 5 or 2.50';

/** Parses `5`, `2.50` or `$5`. Returns undefined if the text is invalid or would be rounded to 0. */
export function parseAmount(text: string): Nanos | undefined {
  const nanos = nanosOf(withoutSymbol(text));
  return nanos === 0n && !isZero(text) ? undefined : nanos;
}

/** Returns the rule that an invalid amount violates. */
export function amountRule(text: string): string {
  if (!/^\d*(?:\.\d*)?(e[+-]?\d+)?$/i.test(withoutSymbol(text)) || isZero(text)) return AMOUNT_RULE;
  return '0 or an amount in dollars from 0.000000001 to 9000000000';
}

const withoutSymbol = (text: string): string => text.trim().replace(/^\$\s*/, '');
const isZero = (text: string): boolean => !/^[^e]*[1-9]/i.test(withoutSymbol(text));

const NAMED_PERIODS = lookup<string>({
  hourly: '1h',
  daily: '1d',
  weekly: '7d',
  monthly: '30d',
});

const PERIOD_RULE =
  'hourly, daily, weekly or monthly (30 days), or a number with the unit s, m, h, d or w, e.g. 12h';

/** Maximum period, as in the API: one hundred years. */
const MAX_DAYS = 36_500;
const MAX_SECONDS = MAX_DAYS * 86_400;

/** Parses a period to seconds. Returns undefined if it is invalid, zero or too long. */
export function parsePeriod(text: string): number | undefined {
  const milliseconds = parseSpan(NAMED_PERIODS[text.trim().toLowerCase()] ?? text);
  if (milliseconds === undefined || milliseconds === 0) return undefined;
  return milliseconds / 1000 > MAX_SECONDS ? undefined : milliseconds / 1000;
}

/** Returns the rule that an invalid period violates. */
export const periodRule = (text: string): string =>
  /^0*[1-9]\d*[smhdw]$/.test(text.trim()) ? `a duration of at most ${MAX_DAYS}d` : PERIOD_RULE;

/** Parses `50,90`, or `none` for no percentages. */
export function parsePercentages(text: string): number[] | undefined {
  if (text.trim().toLowerCase() === 'none') return [];
  const parts = text.split(',').map((part) => part.trim().replace(/%$/, ''));
  const areValid = parts.length <= MAX_THRESHOLDS && parts.every((part) => /^(?:[1-9]\d?|100)$/.test(part));
  return areValid ? parts.map(Number) : undefined;
}

const MAX_THRESHOLDS = 10;

/** The rule for a count limit. */
export const countRule = {
  rule: 'a whole number from 1 to 999999999999999',
  parse: (text: string): number | undefined => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
};
