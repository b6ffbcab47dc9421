/** Calendar units that can be used as time windows. A week starts on Monday. */
export const CALENDAR_UNITS = ['day', 'week', 'month'] as const;
/** @internal Exported for tests. */
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

export interface Calendar {
  readonly unit: CalendarUnit;
  /** Name of a time zone, e.g. `Europe/Berlin`. */
  readonly timeZone: string;
}

/** A unit of which each one has a start in a time zone. */
export type TimeUnit = CalendarUnit | 'hour';

/** Returns the start of the hour, day, week or month that contains a time, in milliseconds since 1970. */
export function startOf(unit: TimeUnit, timeZone: string, time: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
  if (unit === 'hour') return local.round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds;
  const today = local.toPlainDate();
  const first =
    unit === 'month'
      ? today.with({ day: 1 })
      : unit === 'week'
        ? today.subtract({ days: today.dayOfWeek - 1 })
        : today;
  return first.toZonedDateTime(timeZone).epochMilliseconds;
}

/**
 * Returns the start of the next day, week or month in the time zone, in milliseconds since 1970.
 * Days are shorter or longer when daylight saving time starts or ends.
 */
export function nextStart({ unit, timeZone }: Calendar, now: number): number {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();
  const next =
    unit === 'month'
      ? today.with({ day: 1 }).add({ months: 1 })
      : today.add({ days: unit === 'week' ? 8 - today.dayOfWeek : 1 });
  return next.toZonedDateTime(timeZone).epochMilliseconds;
}

/**
 * Returns the start of the next hour. Like days, hours differ in length where daylight saving time shifts
 * clocks by half an hour.
 */
export function nextHour(timeZone: string, now: number): number {
  const start = startOf('hour', timeZone, now);
  for (let at = start + HALF_HOUR_MS; ; at += HALF_HOUR_MS) {
    const next = startOf('hour', timeZone, at);
    if (next > start) return next;
  }
}

const HALF_HOUR_MS = 1_800_000;

/** How an error message about an unknown time zone continues after the name. */
export const TIME_ZONE_PROBLEM = 'is not a time zone. Use a name such as Europe/Berlin or UTC.';

/** Whether a time zone with this name exists. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Now.zonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}
