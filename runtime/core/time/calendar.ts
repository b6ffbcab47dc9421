/** Calendar units that can be used as time windows. A week starts on Monday. */
export const CALENDAR_UNITS = ['day', 'week', 'month'] as const;
/** @internal Exported for tests. */
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

export interface Calendar {
  readonly unit: CalendarUnit;
  /** Name of a time zone, e.g. `Europe/Berlin`. */
  readonly timeZone: string;
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

/** Whether a time zone with this name exists. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Now.zonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}
