const LAST = Date.parse('9999-12-31T23:59:59.999Z');
/** Beyond it in either direction a number means milliseconds; as seconds that would be after the year 9999. */
const MOST_SECONDS = Math.floor(LAST / 1000);
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
/** Fewer digits are a year, or a slip. */
const NUMBER = /^\d{9,15}(?:\.\d+)?$/;

/**
 * A time as programs write it, in whole milliseconds since 1970: RFC 3339, a date, either without a zone for UTC, or seconds since
 * 1970. Undefined if it is none, is before 1970 or after the year 9999.
 */
export function parseTimestamp(given: string | number): number | undefined {
  const time = typeof given === 'number' ? fromNumber(given) : fromText(given.trim());
  return time >= 0 && time <= LAST ? Math.floor(time) : undefined;
}

const fromNumber = (number: number): number => (Math.abs(number) <= MOST_SECONDS ? number * 1000 : number);

function fromText(text: string): number {
  if (NUMBER.test(text)) return fromNumber(Number(text));
  const [, date = '', time = '00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  if (!isDay(date)) return Number.NaN;
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return Date.parse(`${date}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
}

/** Date.parse takes February 30th for a day of March. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
