/**
 * Limits the retries of one target, so that they do not multiply the load of a failing one. Each target has its own budget.
 *
 * In any 10 seconds, retries that fail can be at most `percent` of the requests, plus `perSecond` for each of the seconds. A retry that
 * succeeds costs nothing, so a target whose failures are random keeps its retries, and one that is down does not. If others have spent
 * the budget, e.g. with requests that always fail, a user still has `percent` of the own requests, and one retry.
 */
export interface RetryBudget {
  /** Counts a request of a user, before its first call. */
  request(now: number, owner?: string): void;
  /** Takes a retry. Returns undefined if none is left; otherwise a function to call if the retry succeeds. */
  take(now: number, owner?: string): (() => void) | undefined;
}

export interface RetryBudgetPolicy {
  /** Percentage of the requests. */
  readonly percent: number;
  readonly perSecond: number;
}

export const RETRY_BUDGET_POLICY: RetryBudgetPolicy = { percent: 20, perSecond: 1 };

const SLOTS = 10;
const SLOT_MS = 1000;

interface Counts {
  requests: number;
  retries: number;
}

/** What happened within one second. */
interface Slot extends Counts {
  second: number;
  /** The same for each user. */
  readonly owners: Map<string, Counts>;
}

export function createRetryBudget(policy: () => RetryBudgetPolicy): RetryBudget {
  const slots: Slot[] = [];
  /** The slot of this second. Older slots are reused. */
  const slotAt = (now: number): Slot => {
    const second = Math.floor(now / SLOT_MS);
    const index = ((second % SLOTS) + SLOTS) % SLOTS;
    const slot = (slots[index] ??= { second, requests: 0, retries: 0, owners: new Map() });
    if (slot.second !== second) {
      Object.assign(slot, { second, requests: 0, retries: 0 });
      slot.owners.clear();
    }
    return slot;
  };
  /** Counts of the last seconds, of all users or of one. */
  const recent = ({ second }: Slot, owner?: string): Counts => {
    const sum = { requests: 0, retries: 0 };
    for (const slot of Object.values(slots)) {
      // A clock that was set back leaves slots of the future, which count no more than those of the past.
      if (Math.abs(second - slot.second) >= SLOTS) continue;
      const counts = owner === undefined ? slot : slot.owners.get(owner);
      sum.requests += counts?.requests ?? 0;
      sum.retries += counts?.retries ?? 0;
    }
    return sum;
  };
  return {
    request(now, owner) {
      const slot = slotAt(now);
      slot.requests += 1;
      if (owner !== undefined) countsOf(slot, owner).requests += 1;
    },
    take(now, owner) {
      const slot = slotAt(now);
      const { percent, perSecond } = policy();
      const hasLeft = ({ requests, retries }: Counts, more: number): boolean =>
        retries + 1 <= (requests * percent) / 100 + more;
      const isLeft =
        hasLeft(recent(slot), perSecond * SLOTS) ||
        (owner !== undefined && hasLeft(recent(slot, owner), Math.min(1, perSecond * SLOTS)));
      if (!isLeft) return undefined;
      const taken: Counts[] = [slot, ...(owner === undefined ? [] : [countsOf(slot, owner)])];
      for (const counts of taken) counts.retries += 1;
      const { second } = slot;
      return () => {
        if (slot.second !== second) return;
        for (const counts of taken) counts.retries = Math.max(0, counts.retries - 1);
      };
    },
  };
}

function countsOf({ owners }: Slot, owner: string): Counts {
  const known = owners.get(owner) ?? { requests: 0, retries: 0 };
  owners.set(owner, known);
  return known;
}
