import { type Calendar, CALENDAR_UNITS } from '#core/time/calendar.ts';
import type { BudgetRow } from '../../store/schema.ts';

const UTC = 'UTC';

/** A budget's calendar, from its row; null for a budget with a duration, or without windows. */
export function calendarOf({
  calendar,
  time_zone: timeZone,
}: Pick<BudgetRow, 'calendar' | 'time_zone'>): Calendar | null {
  const unit = CALENDAR_UNITS.find((known) => known === calendar);
  return unit === undefined ? null : { unit, timeZone: timeZone ?? UTC };
}
