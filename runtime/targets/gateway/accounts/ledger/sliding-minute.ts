/**
 * Usage in the last minute, in slots of five seconds. There is one slot more than a minute has, so that no period of 60 seconds
 * exceeds the limit. Its size is constant.
 */
export interface SlidingMinute {
  /** Number of the newest slot, counted from 1970. */
  readonly slot: number;
  /** Usage per slot, newest first. */
  readonly requests: readonly number[];
  readonly tokens: readonly number[];
  /** Calls that cost nothing; undefined before the first one. */
  readonly calls?: readonly number[] | undefined;
}

const SLOT_MS = 5000;
const SLOTS = 13;

export const emptyMinute = (now: number): SlidingMinute => ({
  slot: slotOf(now),
  requests: emptySlots(),
  tokens: emptySlots(),
});

/** The same usage, shifted to the current time. */
export function minuteAt(minute: SlidingMinute, now: number): SlidingMinute {
  const passed = slotOf(now) - minute.slot;
  // Clocks of several machines differ slightly; one that is far ahead must not block the others.
  if (passed <= 0 && passed > -SLOTS) return minute;
  if (passed <= -SLOTS || passed >= SLOTS) return emptyMinute(now);
  const move = (slots: readonly number[]): number[] => [
    ...emptySlots().slice(0, passed),
    ...slots.slice(0, SLOTS - passed),
  ];
  const { requests, tokens, calls } = minute;
  return {
    slot: slotOf(now),
    requests: move(requests),
    tokens: move(tokens),
    ...(calls && { calls: move(calls) }),
  };
}

/** Adds usage (or subtracts, if negative) to the slot of a time; slots older than a minute are dropped. */
export function addUse(minute: SlidingMinute, at: number, requests: number, tokens: number): SlidingMinute {
  const age = Math.max(0, minute.slot - slotOf(at));
  if (age >= SLOTS) return minute;
  return {
    ...minute,
    requests: addAt(minute.requests, age, requests),
    tokens: addAt(minute.tokens, age, tokens),
  };
}

/** Adds a call that costs nothing to the newest slot. */
export const addCall = (minute: SlidingMinute): SlidingMinute => ({
  ...minute,
  calls: addAt(callsIn(minute), 0, 1),
});

export const callsIn = ({ calls }: SlidingMinute): readonly number[] => calls ?? emptySlots();

const addAt = (slots: readonly number[], age: number, count: number): number[] =>
  slots.map((used, index) => (index === age ? Math.max(0, used + count) : used));

export const totalOf = (slots: readonly number[]): number => slots.reduce((sum, used) => sum + used, 0);

/** Milliseconds until the slots contain at most `max`. */
export function waitUntilAtMost(slots: readonly number[], newest: number, max: number, now: number): number {
  let left = totalOf(slots);
  for (let age = slots.length - 1; age >= 0 && left > max; age -= 1) {
    left -= slots[age] ?? 0;
    if (left <= max) return Math.max(1, (newest - age + SLOTS) * SLOT_MS - now);
  }
  return 1;
}

const slotOf = (at: number): number => Math.floor(at / SLOT_MS);
const emptySlots = (): number[] => Array.from({ length: SLOTS }, () => 0);
