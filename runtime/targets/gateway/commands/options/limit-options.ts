import { lookup } from '#core/values/lookup.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { CALENDAR_UNITS } from '#core/time/calendar.ts';
import { parseSpan } from '#core/time/time-span.ts';
import type { BudgetLimit } from '../../accounts/fields/budget-limits.ts';
import { MAX_QUEUE_SECONDS } from '../../accounts/fields/shared-fields.ts';
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

export const LIMITS_RULE =
  'limits such as 5/5h,20/week, where a window is a duration, day, week, month or never, each with optional models such as "3/day anthropic:*", or a JSON list';

/**
 * Parses `5/5h,20/week` or `3/day anthropic:* openai:o3*`, or the JSON list of the API. Returns undefined if
 * the text is invalid.
 */
export function parseLimits(text: string): readonly BudgetLimit[] | undefined {
  const limits = text.trim().startsWith('[') ? limitsInJson(text) : text.split(',').map(parseLimit);
  return limits?.every((limit) => limit !== undefined) ? limits : undefined;
}

function parseLimit(text: string): BudgetLimit | undefined {
  const [limit = '', ...models] = text.trim().split(/\s+/);
  const [amount = '', window, ...others] = limit.split('/');
  const maxBudget = amount === '' ? undefined : parseAmount(amount);
  if (maxBudget === undefined || window === undefined || others.length > 0) return undefined;
  const calendar = CALENDAR_UNITS.find((unit) => unit === window) ?? null;
  const seconds = calendar !== null || window === 'never' ? null : parsePeriod(window);
  if (seconds === undefined) return undefined;
  return {
    maxBudget,
    budgetDurationSec: seconds,
    calendar,
    timeZone: null,
    models: models.length === 0 ? null : models,
  };
}

function limitsInJson(text: string): readonly (BudgetLimit | undefined)[] | undefined {
  let limits: unknown;
  try {
    limits = parseJsonText(text);
  } catch {
    return undefined;
  }
  return Array.isArray(limits) ? limits.map(limitInJson) : undefined;
}

const MEMBERS: ReadonlySet<string> = new Set([
  'max_budget',
  'budget_duration_sec',
  'calendar',
  'time_zone',
  'models',
]);

function limitInJson(limit: unknown): BudgetLimit | undefined {
  const members = membersOf(limit);
  if (Object.keys(members).some((name) => !MEMBERS.has(name))) return undefined;
  const { max_budget: amount, budget_duration_sec: seconds = null } = members;
  const { calendar: unit = null, time_zone: timeZone = null, models = null } = members;
  const maxBudget = typeof amount === 'number' ? parseAmount(String(amount)) : undefined;
  const calendar = unit === null ? null : CALENDAR_UNITS.find((known) => known === unit);
  if (maxBudget === undefined || calendar === undefined) return undefined;
  if (seconds !== null && typeof seconds !== 'number') return undefined;
  if (timeZone !== null && typeof timeZone !== 'string') return undefined;
  if (models !== null && !isTexts(models)) return undefined;
  return { maxBudget, budgetDurationSec: seconds, calendar, timeZone, models };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

/** The rule for a count limit. */
export const countRule = {
  rule: 'a whole number from 1 to 999999999999999',
  parse: (text: string): number | undefined => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
};

/** The rule for a waiting time. */
export const waitRule = {
  rule: `a number of seconds from 0 to ${MAX_QUEUE_SECONDS}`,
  parse: (text: string): number | undefined =>
    /^\d{1,4}$/.test(text) && Number(text) <= MAX_QUEUE_SECONDS ? Number(text) : undefined,
};
