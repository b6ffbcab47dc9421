import { lookup } from '#core/values/lookup.ts';
const UNITS = lookup<number>({
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
});

/** Parses a time span such as `30d`, and returns it in milliseconds. Returns undefined if it is invalid. */
export function parseSpan(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,8})([smhdw])$/.exec(text.trim()) ?? [];
  const milliseconds = UNITS[unit];
  return count === undefined || milliseconds === undefined ? undefined : Number(count) * milliseconds;
}

/** Formats a time span in the largest unit that gives an integer: `36h`, but `2d`. */
export function spanText(milliseconds: number): string {
  const [unit, size] = Object.entries(UNITS)
    .toReversed()
    .find(([, candidate]) => milliseconds % candidate === 0) ?? ['s', 1000];
  return `${milliseconds / size}${unit}`;
}
