import {
  remember,
  createTargetBreakers,
  type Breaker,
  type BreakerPolicy,
  type TargetBreakers,
} from './target-breakers.ts';

/** Breakers, pauses and loads of targets, which outlive requests. */
export interface TargetStates extends Pick<TargetBreakers, 'admit' | 'report'> {
  readonly loads: TargetLoads;
  /** The budget of retries of a target. */
  retries(key: string): RetryBudget;
  /** Sorts the target last until this time, because its provider sent `Retry-After`. */
  pause(key: string, until: number): void;
  isPaused(key: string, now: number): boolean;
  /** The targets with a state: failures, a pause, requests in flight, or a measured speed. */
  list(now: number): readonly TargetState[];
  /** Deletes the states of targets whose provider was replaced. */
  forget(isReplaced: (key: string) => boolean): void;
}

/** What this process knows of a target. */
export interface TargetState {
  readonly target: string;
  readonly breaker: Breaker;
  /** Users whose requests alone skip the target. */
  readonly openFor: readonly string[];
  /** Time until which the target is tried last; undefined if it is not paused. */
  readonly pausedUntil: number | undefined;
  readonly running: number;
  /** Moving average to the first output of streams; undefined if there was none lately. */
  readonly streamMs: number | undefined;
  /** Moving average per output token of whole answers. */
  readonly tokenMs: number | undefined;
}

interface StatePolicies {
  readonly breaker: BreakerPolicy;
  readonly retryBudget: RetryBudgetPolicy;
}

export function createTargetStates(policies: () => StatePolicies): TargetStates {
  const budgets = new Map<string, RetryBudget>();
  const breakers = createTargetBreakers(() => policies().breaker);
  const pauses = new Map<string, number>();
  const loads = createTargetLoads();
  return {
    loads,
    admit: (key, now, owner) => breakers.admit(key, now, owner),
    report: (key, result, request, now) => breakers.report(key, result, request, now),
    retries(key) {
      const known = budgets.get(key);
      if (known) return known;
      const created = createRetryBudget(() => policies().retryBudget);
      remember(budgets, key, created);
      return created;
    },
    pause: (key, until) => remember(pauses, key, until),
    isPaused(key, now) {
      const until = pauses.get(key);
      if (until === undefined) return false;
      if (until <= now) pauses.delete(key);
      return until > now;
    },
    list(now) {
      const keys = new Set([...breakers.keys(), ...pauses.keys(), ...loads.keys()]);
      return [...keys].toSorted().map((target) => {
        const until = pauses.get(target);
        return {
          target,
          breaker: breakers.get(target),
          openFor: breakers.openFor(target, now),
          pausedUntil: until !== undefined && until > now ? until : undefined,
          running: loads.running(target),
          streamMs: loads.speed(target, 'stream'),
          tokenMs: loads.speed(target, 'whole'),
        };
      });
    },
    forget(isReplaced) {
      loads.forget(isReplaced);
      breakers.forget(isReplaced);
      for (const states of [pauses, budgets]) {
        for (const key of [...states.keys()].filter(isReplaced)) states.delete(key);
      }
    },
  };
}

/** Requests in flight and speeds of targets in this process. */
export interface TargetLoads {
  /** Counts a call until the returned function is called. */
  start(key: string): () => void;
  running(key: string): number;
  /** Records how long a target took: to the first output of a stream, or per output token of a whole answer. */
  measured(key: string, kind: SpeedKind, milliseconds: number, now: number): void;
  /** Moving average of the last answers; undefined if there was none. */
  speed(key: string, kind: SpeedKind): number | undefined;
  /** Whether a target may be tried although another one is faster. Then its next trial is due later. */
  takeTrial(key: string, now: number): boolean;
  /** The targets with requests in flight or a speed. */
  keys(): readonly string[];
  forget(isReplaced: (key: string) => boolean): void;
}

export type SpeedKind = 'stream' | 'whole';

interface Speed {
  readonly average: number;
  readonly at: number;
}

/** Weight of a new measurement in the average. */
const NEWEST_SHARE = 0.3;

/** An older average is replaced, because it does not describe the target now. */
const OUTDATED_MS = 30_000;

/** Minimum time between two trials of a target. */
const TRIAL_INTERVAL_MS = 5000;

/** Maximum number of targets: names of models come from clients, so there could be any number of them. */
const MAX_TARGETS = 10_000;

function createTargetLoads(): TargetLoads {
  const running = new Map<string, number>();
  const speeds: Readonly<Record<SpeedKind, Map<string, Speed>>> = { stream: new Map(), whole: new Map() };
  const trials = new Map<string, number>();
  const remember = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
    map.delete(key);
    map.set(key, value);
    const [oldest] = map.keys();
    if (map.size > MAX_TARGETS && oldest !== undefined) map.delete(oldest);
  };
  return {
    start(key) {
      running.set(key, (running.get(key) ?? 0) + 1);
      let isRunning = true;
      return () => {
        if (!isRunning) return;
        isRunning = false;
        const left = (running.get(key) ?? 1) - 1;
        if (left === 0) running.delete(key);
        else running.set(key, left);
      };
    },
    running: (key) => running.get(key) ?? 0,
    measured(key, kind, milliseconds, now) {
      const before = speeds[kind].get(key);
      const isOutdated = !before || now - before.at > OUTDATED_MS;
      const average = isOutdated
        ? milliseconds
        : before.average + NEWEST_SHARE * (milliseconds - before.average);
      remember(speeds[kind], key, { average, at: now });
    },
    speed: (key, kind) => speeds[kind].get(key)?.average,
    takeTrial(key, now) {
      const last = trials.get(key);
      if (last !== undefined && now - last < TRIAL_INTERVAL_MS) return false;
      remember(trials, key, now);
      return true;
    },
    keys: () => [...running.keys(), ...speeds.stream.keys(), ...speeds.whole.keys()],
    forget(isReplaced) {
      for (const map of [speeds.stream, speeds.whole, trials])
        for (const key of [...map.keys()].filter(isReplaced)) map.delete(key);
    },
  };
}

/**
 * Limits the retries of one target, so that they do not multiply the load of a failing one. Each target has its own budget.
 *
 * In any 10 seconds, retries that fail can be at most `percent` of the requests, plus `perSecond` for each of the seconds. A retry that
 * succeeds costs nothing, so a target whose failures are random keeps its retries, and one that is down does not. If others have spent
 * the budget, e.g. with requests that always fail, a user still has `percent` of its own requests, and one retry.
 */
interface RetryBudget {
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

/** @internal Exported for tests only. */
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
