/**
 * What was used in the last minute, in slots of five seconds. One slot more than a minute has, so that no sixty seconds ever
 * hold more than the limit, wherever they begin; and never more memory than this, however much is used.
 */
export interface SlidingMinute {
  /** Number of the newest slot, counted from 1970. */
  readonly slot: number;
  /** Newest first. */
  readonly requests: readonly number[];
  readonly tokens: readonly number[];
}

const SLOT_MS = 5000;
const SLOTS = 13;

export const emptyMinute = (now: number): SlidingMinute => ({
  slot: slotOf(now),
  requests: emptySlots(),
  tokens: emptySlots(),
});

/** The same use, seen from now. */
export function minuteAt(minute: SlidingMinute, now: number): SlidingMinute {
  const passed = slotOf(now) - minute.slot;
  // Clocks of several machines differ a little; one that was far ahead must not hold up the others.
  if (passed <= 0 && passed > -SLOTS) return minute;
  if (passed <= -SLOTS || passed >= SLOTS) return emptyMinute(now);
  const move = (slots: readonly number[]): number[] => [
    ...emptySlots().slice(0, passed),
    ...slots.slice(0, SLOTS - passed),
  ];
  return { slot: slotOf(now), requests: move(minute.requests), tokens: move(minute.tokens) };
}

/** Adds use to the slot of that time, and takes some away if it is negative; what is older than the minute is forgotten. */
export function addUse(minute: SlidingMinute, at: number, requests: number, tokens: number): SlidingMinute {
  const age = Math.max(0, minute.slot - slotOf(at));
  if (age >= SLOTS) return minute;
  const add = (slots: readonly number[], count: number): number[] =>
    slots.map((used, index) => (index === age ? Math.max(0, used + count) : used));
  return { slot: minute.slot, requests: add(minute.requests, requests), tokens: add(minute.tokens, tokens) };
}

export const totalOf = (slots: readonly number[]): number => slots.reduce((sum, used) => sum + used, 0);

/** How many milliseconds from now until no more than `most` are left of what is in the slots now. */
export function waitUntilAtMost(slots: readonly number[], newest: number, most: number, now: number): number {
  let left = totalOf(slots);
  for (let age = slots.length - 1; age >= 0 && left > most; age -= 1) {
    left -= slots[age] ?? 0;
    if (left <= most) return Math.max(1, (newest - age + SLOTS) * SLOT_MS - now);
  }
  return 1;
}

const slotOf = (at: number): number => Math.floor(at / SLOT_MS);
const emptySlots = (): number[] => Array.from({ length: SLOTS }, () => 0);
