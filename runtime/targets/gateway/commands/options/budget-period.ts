import { parseSpan } from '#core/time/time-span.ts';

const NAMED_PERIODS: Readonly<Record<string, string>> = {
  hourly: '1h',
  daily: '1d',
  weekly: '7d',
  monthly: '30d',
};

const PERIOD_RULE =
  'hourly, daily, weekly or monthly (30 days), or a number with a unit s, m, h, d or w, e.g. 12h';

/** Maximum of the API, too: one hundred years. */
const MAX_DAYS = 36_500;
const MAX_SECONDS = MAX_DAYS * 86_400;

/** Parses a period to seconds. Returns undefined if it is invalid, zero or too long. */
export function parsePeriod(text: string): number | undefined {
  const milliseconds = parseSpan(NAMED_PERIODS[text.trim().toLowerCase()] ?? text);
  if (milliseconds === undefined || milliseconds === 0) return undefined;
  return milliseconds / 1000 > MAX_SECONDS ? undefined : milliseconds / 1000;
}

/** Returns the rule that an invalid period breaks. */
export const periodRule = (text: string): string =>
  /^0*[1-9]\d*[smhdw]$/.test(text.trim()) ? `a duration of at most ${MAX_DAYS}d` : PERIOD_RULE;
