import type { Rate } from './token-bucket.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a rate: `100/m` is 100 per minute. Undefined if the text is not a rate. */
export function parseRate(text: string): Rate | undefined {
  const [, count = '', unit = ''] = /^\s*(\d{1,9})\s*\/\s*([smhd])\s*$/.exec(text) ?? [];
  const milliseconds = UNITS[unit];
  return milliseconds === undefined || Number(count) === 0
    ? undefined
    : { count: Number(count), milliseconds };
}

/** The syntax of a rate, to complete error messages. */
export const RATE_RULE = 'a number, a slash and s, m, h or d, e.g. 100/m';
