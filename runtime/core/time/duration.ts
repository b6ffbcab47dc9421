import { lookup } from '#core/values/lookup.ts';
const UNITS = lookup<number>({
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
});

/** Maximum delay of Node's timers, which fire immediately if a delay is longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const DURATION_RULE =
  'a positive duration: seconds such as 15, or a value with units such as "500ms", "15s", "1m30s"';

/**
 * Parses a duration, and returns it in milliseconds. It can be a number of seconds, or numbers with
 * units. Returns undefined if it is invalid.
 */
export function parseDuration(value: string | number): number | undefined {
  const text = String(value).trim();
  const milliseconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : sumOfParts(text);
  if (milliseconds === undefined || milliseconds > MAX_TIMER_MS || milliseconds <= 0) return undefined;
  return milliseconds;
}

/** Like `parseDuration`, but also accepts 0, with or without a unit. */
export const parseDurationOrZero = (value: string | number): number | undefined =>
  /^\s*0+(?:ms|[smh])?\s*$/.test(String(value)) ? 0 : parseDuration(value);

/**
 * `µ` and `μ` are escaped, because a single such character makes Node store the whole program with
 * 2 bytes per character.
 */
function sumOfParts(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, number, unit] of text.matchAll(/([\d.]+)([a-z\u00b5\u03bc]+)/gy))
    sum += Number(number) * (UNITS[unit ?? ''] ?? 0);
  return sum;
}

/** Formats a duration in whole milliseconds with the largest unit that divides it: 90000 as 90s. */
export function durationText(milliseconds: number): string {
  const unit = (['h', 'm', 's'] as const).find((name) => milliseconds % (UNITS[name] ?? 1) === 0) ?? 'ms';
  return `${milliseconds / (UNITS[unit] ?? 1)}${unit}`;
}
