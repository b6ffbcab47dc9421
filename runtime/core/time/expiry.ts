import { parseSpan } from './time-span.ts';
import { parseTimestamp } from './timestamp.ts';

/**
 * Parses an expiry, and returns it in milliseconds since 1970. It can be a time span from now, such
 * as `30d`, or a date. Returns undefined if it is invalid.
 */
export function parseExpiry(text: string, now: number): number | undefined {
  const span = parseSpan(text);
  return span === undefined ? parseTimestamp(text) : now + span;
}

export const EXPIRY_RULE = 'a number with a unit s, m, h, d or w, e.g. 30d, or a date, e.g. 2027-01-31';
