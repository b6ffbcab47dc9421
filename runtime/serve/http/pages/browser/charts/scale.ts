/** Maps values to positions in a drawing. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
  readonly at: (value: number) => number;
}

/**
 * Returns the smallest and the largest number; Infinity and -Infinity if the list is empty. Unlike
 * Math.min, it supports lists of any length.
 */
export function extent(values: readonly number[]): [min: number, max: number] {
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [min, max];
}

/**
 * A linear scale whose ticks are round numbers. `range`: the positions of the smallest and the
 * largest value. With the option `isExact`, the scale ends at these values instead of at ticks.
 */
export function linearScale(
  values: readonly number[],
  [start, end]: readonly [start: number, end: number],
  {
    ticks = 5,
    fromZero = false,
    isExact = false,
  }: { ticks?: number; fromZero?: boolean; isExact?: boolean } = {},
): Scale {
  let [min, max] = extent(values);
  if (min > max) [min, max] = [0, 1];
  if (fromZero) [min, max] = [Math.min(0, min), Math.max(0, max)];
  if (min === max) max = min + (Math.abs(min) || 1);
  const step = roundStep((max - min) / ticks);
  if (!isExact) [min, max] = [Math.floor(min / step + 1e-9) * step, Math.ceil(max / step - 1e-9) * step];
  return scaleOf(min, max, start, end, multiples(step, min, max));
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TIME_STEPS = [
  1000,
  5000,
  15_000,
  30_000,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
  91 * DAY,
  365 * DAY,
];

/**
 * A scale of timestamps in milliseconds, whose ticks are round times in a time zone, by default the
 * browser's.
 */
export function timeScale(
  values: readonly number[],
  [start, end]: readonly [start: number, end: number],
  ticks: number,
  timeZone?: string,
): Scale {
  const [min, max] = extent(values);
  if (!Number.isFinite(min)) return scaleOf(0, 1, start, end, []);
  const last = max === min ? min + 1 : max;
  const step = TIME_STEPS.find((one) => (last - min) / one <= ticks) ?? roundStep((last - min) / ticks);
  const shift = offsetAt(min, timeZone);
  // The offset changes when daylight saving time starts or ends.
  const local = multiples(step, min + shift, last + offsetAt(last, timeZone)).map(
    (value) => value - offsetAt(value - shift, timeZone),
  );
  return scaleOf(
    min,
    last,
    start,
    end,
    local.filter((value) => value >= min && value <= last),
  );
}

/** The difference between the local time and UTC, in milliseconds. */
function offsetAt(moment: number, timeZone: string | undefined) {
  if (timeZone === undefined) return -new Date(moment).getTimezoneOffset() * MINUTE;
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(moment);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return local - Math.floor(moment / MINUTE) * MINUTE;
}

const scaleOf = (min: number, max: number, start: number, end: number, ticks: readonly number[]): Scale => ({
  min,
  max,
  ticks,
  at: (value) => start + ((value - min) / (max - min)) * (end - start),
});

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundStep(rough: number) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((factor) => rough <= factor * power * 1.0001) ?? 10) * power;
}

function multiples(step: number, min: number, max: number) {
  const first = Math.ceil(min / step - 1e-9);
  const length = Math.max(0, Math.floor(max / step + 1e-9) - first + 1);
  // Rounded, because 3 * 0.1 is not 0.3.
  return Array.from({ length: Math.min(length, 100) }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  );
}
