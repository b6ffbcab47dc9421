import { nextHour, nextStart, startOf, type TimeUnit } from '#core/time/calendar.ts';

/** The start of the interval after the one that contains a time. */
const startAfter = (unit: TimeUnit, timeZone: string, time: number): number =>
  unit === 'hour' ? nextHour(timeZone, time) : nextStart({ unit, timeZone }, time);

/** The end of the last interval that begins before a time. */
export const endOf = (unit: TimeUnit, timeZone: string, time: number): number =>
  startOf(unit, timeZone, time) === time ? time : startAfter(unit, timeZone, time);

/**
 * The starts of the intervals in a range of whole intervals. Stops after `max`, so that a long range takes no
 * time; its caller rejects it then.
 */
export function intervalStarts(
  { from, to }: { readonly from: number; readonly to: number },
  unit: TimeUnit,
  timeZone: string,
  max = Infinity,
): number[] {
  const starts: number[] = [];
  for (let at = from; at < to && starts.length < max; at = startAfter(unit, timeZone, at)) starts.push(at);
  return starts;
}
