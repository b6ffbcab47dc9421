/**
 * Limits the retries of one target, so that they do not multiply the load of a failing one. Each target has its own budget.
 *
 * In any 10 seconds, retries that fail can be at most `percent` of the requests, plus `perSecond` for each of the seconds. A retry that
 * succeeds costs nothing, so a target whose failures are random keeps its retries, and one that is down does not.
 */
export interface RetryBudget {
  /** Counts a request, before its first call. */
  request(now: number): void;
  /** Takes a retry. Returns undefined if none is left; otherwise a function to call if the retry succeeds. */
  take(now: number): (() => void) | undefined;
}

export interface RetryBudgetPolicy {
  /** Percentage of the requests. */
  readonly percent: number;
  readonly perSecond: number;
}

export const RETRY_BUDGET_POLICY: RetryBudgetPolicy = { percent: 20, perSecond: 1 };

const SLOTS = 10;
const SLOT_MS = 1000;

/** What happened within one second. */
interface Slot {
  second: number;
  requests: number;
  retries: number;
}

export function createRetryBudget(policy: () => RetryBudgetPolicy): RetryBudget {
  const slots: Slot[] = [];
  /** The slot of this second. Older slots are reused. */
  const slotAt = (now: number): Slot => {
    const second = Math.floor(now / SLOT_MS);
    const index = ((second % SLOTS) + SLOTS) % SLOTS;
    const slot = (slots[index] ??= { second, requests: 0, retries: 0 });
    if (slot.second !== second) Object.assign(slot, { second, requests: 0, retries: 0 });
    return slot;
  };
  return {
    request(now) {
      slotAt(now).requests += 1;
    },
    take(now) {
      const slot = slotAt(now);
      let [requests, retries] = [0, 0];
      for (const one of Object.values(slots)) {
        // A clock that was set back leaves slots of the future, which count no more than those of the past.
        if (Math.abs(slot.second - one.second) >= SLOTS) continue;
        requests += one.requests;
        retries += one.retries;
      }
      const { percent, perSecond } = policy();
      if (retries + 1 > (requests * percent) / 100 + perSecond * SLOTS) return undefined;
      slot.retries += 1;
      const { second } = slot;
      return () => {
        if (slot.second === second && slot.retries > 0) slot.retries -= 1;
      };
    },
  };
}
