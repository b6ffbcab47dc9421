import { trimEndOf } from '../text/trim-text.ts';

/**
 * Formats milliseconds since 1970, which can have a fraction, as an RFC 3339 timestamp in UTC
 * without trailing zeros.
 */
export function rfc3339(milliseconds: number): string {
  // For today's times, a double has a precision of a quarter of a microsecond, so more digits would
  // be meaningless.
  const microseconds = Math.round(milliseconds * 1000);
  const seconds = Math.floor(microseconds / 1_000_000);
  const fraction = trimEndOf(String(microseconds - seconds * 1_000_000).padStart(6, '0'), '0');
  const date = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${date}${fraction === '' ? '' : `.${fraction}`}Z`;
}
