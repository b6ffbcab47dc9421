const LANGUAGE = 'en';
const WHOLE = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat(LANGUAGE, { notation: 'compact', maximumSignificantDigits: 3 });
const PRECISE = new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 4 });
const PERCENT = new Intl.NumberFormat(LANGUAGE, { style: 'percent', maximumFractionDigits: 1 });
const DATE_TIME = new Intl.DateTimeFormat(LANGUAGE, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
});

/** Formats timestamps in a time zone, by default the browser's. Creating a formatter is slow. */
function formatIn(options: Intl.DateTimeFormatOptions) {
  const formats = new Map<string | undefined, Intl.DateTimeFormat>();
  return (moment: number, timeZone: string | undefined) => {
    let format = formats.get(timeZone);
    if (!format) {
      format = new Intl.DateTimeFormat(LANGUAGE, { ...options, ...(timeZone !== undefined && { timeZone }) });
      formats.set(timeZone, format);
    }
    return format.format(moment);
  };
}

const DAY = formatIn({ month: 'short', day: 'numeric' });
const CLOCK = formatIn({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const MONTH = formatIn({ year: 'numeric', month: 'short' });
/** A timestamp in a chart, to the minute. */
export const minuteText = formatIn({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const DAY_MS = 86_400_000;
const MISSING = '–';

/** Missing values are shown as a dash. */
type Amount = number | null | undefined;

/** A count: 1,234,567. */
export const count = (value: Amount) => (isMissing(value) ? MISSING : WHOLE.format(value));

/**
 * Formats a name for use within a sentence: the first letter is lower case, unless the name starts
 * with an abbreviation such as URL.
 */
export const lowerFirst = (text: string) =>
  /^\p{Lu}[\p{Lu}\d]/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);

/** A count in compact form, for places where there is little space: 1.23M. */
export const short = (value: Amount) =>
  isMissing(value) ? MISSING : (Math.abs(value) < 1000 ? PRECISE : SHORT).format(value);

/** A share between 0 and 1: 12.3%. */
export const percent = (value: Amount) => (isMissing(value) ? MISSING : PERCENT.format(value));

/** An amount of money with cents, or with the first two digits if it is smaller: $1,234.50, $0.00042. */
export function money(value: Amount, currency = 'USD') {
  if (isMissing(value)) return MISSING;
  const isSmall = value !== 0 && Math.abs(value) < 0.1;
  const digits = isSmall
    ? { minimumFractionDigits: 2, maximumFractionDigits: 12, maximumSignificantDigits: 2 }
    : {};
  return new Intl.NumberFormat(LANGUAGE, { style: 'currency', currency, ...digits }).format(value);
}

const TIMES: readonly (readonly [name: string, milliseconds: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
];

/** A duration: 0.34 ms, 3.2 ms, 12.5 s, 3 min 20 s, 2 d 4 h. */
export function duration(milliseconds: Amount) {
  if (isMissing(milliseconds)) return MISSING;
  if (milliseconds < 1) return `${Number(milliseconds.toPrecision(2))} ms`;
  if (milliseconds < 1000)
    return `${PRECISE.format(Number(milliseconds.toFixed(milliseconds < 10 ? 1 : 0)))} ms`;
  if (milliseconds < 60_000) return `${PRECISE.format(Number((milliseconds / 1000).toFixed(1)))} s`;
  const at = TIMES.findIndex(([, size]) => milliseconds >= size);
  const [name, size] = TIMES[at] ?? ['min', 60_000];
  const [smaller, part] = TIMES[at + 1] ?? ['s', 1000];
  const whole = Math.floor(milliseconds / size);
  const rest = Math.floor((milliseconds % size) / part);
  return rest === 0 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${smaller}`;
}

/** A size in bytes: 512 B, 1.5 MiB. */
export function bytes(value: Amount) {
  if (isMissing(value)) return MISSING;
  const power = value < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(value) / 10));
  const unit = ['B', 'KiB', 'MiB', 'GiB', 'TiB'][power];
  return `${PRECISE.format(Number((value / 1024 ** power).toFixed(1)))} ${unit}`;
}

/** Shows a timestamp in local time, with the UTC time as a tooltip. */
export function dateTime(moment: string | number | Date | null | undefined): Node {
  const date = moment === null || moment === undefined ? undefined : new Date(moment);
  if (!date || Number.isNaN(date.getTime())) return document.createTextNode(MISSING);
  const node = document.createElement('time');
  node.dateTime = date.toISOString();
  node.title = `${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`;
  node.textContent = DATE_TIME.format(date);
  return node;
}

/**
 * A timestamp on a chart axis that spans `range` milliseconds: a time of day within two days, a day
 * within a year, otherwise a month.
 */
export const axisTime = (moment: number, range: number, timeZone?: string) =>
  (range > 1 && range <= 2 * DAY_MS ? CLOCK : range <= 366 * DAY_MS ? DAY : MONTH)(moment, timeZone);

const isMissing = (value: Amount): value is null | undefined =>
  value === null || value === undefined || Number.isNaN(value);

export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
