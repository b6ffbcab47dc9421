/** The latest time that RFC 3339 can express. */
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');
/** Numbers with a larger absolute value are milliseconds; as seconds they would be after the year 9999. */
const MAX_SECONDS = Math.floor(LAST_TIME / 1000);
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
/** Fewer digits are a year or a mistake. */
const NUMBER = /^\d{9,15}(?:\.\d+)?$/;

/**
 * Parses a timestamp, and returns it in whole milliseconds since 1970. It can be an RFC 3339
 * timestamp or a date (in UTC if there is no time zone), or a Unix timestamp in seconds. Returns
 * undefined if it is invalid, before 1970 or after the year 9999.
 */
export function parseTimestamp(given: string | number): number | undefined {
  const time = typeof given === 'number' ? fromNumber(given) : fromText(given.trim());
  return time >= 0 && time <= LAST_TIME ? Math.floor(time) : undefined;
}

const fromNumber = (number: number): number => (Math.abs(number) <= MAX_SECONDS ? number * 1000 : number);

function fromText(text: string): number {
  if (NUMBER.test(text)) return fromNumber(Number(text));
  const [, date = '', time = '00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  if (!isDay(date)) return Number.NaN;
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return Date.parse(`${date}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
}

/** Rejects dates such as February 30th, which Date.parse accepts as a day in March. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
