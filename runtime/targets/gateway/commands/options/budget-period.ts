import { parseSpan } from '../../../../core/time-span.ts';

const WORDS: Readonly<Record<string, string>> = { hourly: '1h', daily: '1d', weekly: '7d', monthly: '30d' };

export const PERIOD_RULE =
  'hourly, daily, weekly or monthly (30 days), or a number and s, m, h, d or w, as 12h';

/** In seconds. Undefined if it is no time, or none at all. */
export function parsePeriod(text: string): number | undefined {
  const milliseconds = parseSpan(WORDS[text.trim().toLowerCase()] ?? text);
  return milliseconds === undefined || milliseconds === 0 ? undefined : milliseconds / 1000;
}
