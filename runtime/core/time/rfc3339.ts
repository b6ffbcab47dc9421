import { trimEndOf } from '../text/trim-text.ts';

/** Formats milliseconds since 1970, with fractions, according to RFC 3339 in UTC, without trailing zeros. */
export function rfc3339(milliseconds: number): string {
  // A double represents today's times to a quarter of a microsecond; more digits would be noise.
  const microseconds = Math.round(milliseconds * 1000);
  const seconds = Math.floor(microseconds / 1_000_000);
  const fraction = trimEndOf(String(microseconds - seconds * 1_000_000).padStart(6, '0'), '0');
  const date = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${date}${fraction === '' ? '' : `.${fraction}`}Z`;
}
