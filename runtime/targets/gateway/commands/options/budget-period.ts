import { parseSpan } from '../../../../core/time/time-span.ts';

const WORDS: Readonly<Record<string, string>> = { hourly: '1h', daily: '1d', weekly: '7d', monthly: '30d' };

const PERIOD_RULE = 'hourly, daily, weekly or monthly (30 days), or a number and s, m, h, d or w, as 12h';

/** A hundred years, as the API has it. */
const LONGEST_DAYS = 36_500;
const LONGEST_SECONDS = LONGEST_DAYS * 86_400;

/** In seconds. Undefined if it is no time, none at all, or longer than any window. */
export function parsePeriod(text: string): number | undefined {
  const milliseconds = parseSpan(WORDS[text.trim().toLowerCase()] ?? text);
  if (milliseconds === undefined || milliseconds === 0) return undefined;
  return milliseconds / 1000 > LONGEST_SECONDS ? undefined : milliseconds / 1000;
}

/** What is wrong with a text that is no period. */
export const periodRule = (text: string): string =>
  /^0*[1-9]\d*[smhdw]$/.test(text.trim()) ? `a time of ${LONGEST_DAYS}d at most` : PERIOD_RULE;
