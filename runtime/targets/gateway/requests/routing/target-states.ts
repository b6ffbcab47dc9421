import { remember } from '#core/limits/remember.ts';
import { MovedSessions } from '../../shared/moved-sessions.ts';
import type { KeyEvent } from '../../providers/adapters/keys/key-state.ts';
import { createTargetLoads, type TargetLoads } from './target-loads.ts';
import { type FailureHistory, failuresToOpen, type TargetResult, withRun } from './failures.ts';

/** The targets' breakers, pauses and loads, which are kept between requests. */
export interface TargetStates extends Pick<TargetBreakers, 'admit' | 'report'> {
  readonly loads: TargetLoads;
  /** The sessions that were served by another target than their first choice. */
  readonly sessions: MovedSessions;
  /** The target's retry budget. */
  retries(key: string): RetryBudget;
  /** Sorts the target last until this time, because its provider sent `Retry-After`. */
  pause(key: string, until: number): void;
  isPaused(key: string, now: number): boolean;
  /** The targets with a state: failures, a pause, requests in flight, or a measured speed. */
  list(now: number): readonly TargetState[];
  /** Applies what another thread has learned. */
  apply(event: TargetEvent): void;
  /** Deletes the states of targets whose provider was replaced. */
  forget(isReplaced: (key: string) => boolean): void;
}

/** What one thread has learned about a target, for the other threads (docs/decisions/0160). */
export type TargetEvent =
  | KeyEvent
  | { readonly kind: 'pause'; readonly key: string; readonly until: number }
  /** A trial is in progress. */
  | { readonly kind: 'trial'; readonly key: string; readonly owner: string | undefined; readonly now: number }
  | {
      readonly kind: 'result';
      readonly key: string;
      readonly result: TargetResult;
      readonly request: Omit<Admitted, 'admitted'>;
      readonly now: number;
    };

/** The state of a target in this process. */
export interface TargetState {
  readonly target: string;
  readonly breaker: Breaker;
  /** The users whose requests skip the target, although other users' requests do not. */
  readonly openFor: readonly string[];
  /** Time until which the target is tried last; undefined if it is not paused. */
  readonly pausedUntil: number | undefined;
  readonly running: number;
  /** Moving average of the time to a stream's first output; undefined without recent streams. */
  readonly streamMs: number | undefined;
  /** Moving average of the time per output token, for complete responses. */
  readonly tokenMs: number | undefined;
}

interface StatePolicies {
  readonly breaker: BreakerPolicy;
  readonly retryBudget: RetryBudgetPolicy;
}

/** `onEvent` is called with everything that other threads need to know. */
export function createTargetStates(
  policies: () => StatePolicies,
  onEvent?: (event: TargetEvent) => void,
): TargetStates {
  const budgets = new Map<string, RetryBudget>();
  const breakers = createTargetBreakers(() => policies().breaker);
  const pauses = new Map<string, number>();
  const loads = createTargetLoads();
  return {
    loads,
    sessions: new MovedSessions(),
    admit(key, now, owner) {
      const admission = breakers.admit(key, now, owner);
      if (onEvent && admission.admitted && (admission.isTrial || admission.isOwnTrial))
        onEvent({ kind: 'trial', key, owner, now });
      return admission;
    },
    report(key, result, request, now) {
      // A success of a target without failures changes nothing.
      if (onEvent && (result !== 'succeeded' || breakers.isKnown(key, request.owner)))
        onEvent({ kind: 'result', key, result, request, now });
      breakers.report(key, result, request, now);
    },
    retries(key) {
      const known = budgets.get(key);
      if (known) return known;
      const created = createRetryBudget(() => policies().retryBudget);
      remember(budgets, key, created);
      return created;
    },
    pause(key, until) {
      remember(pauses, key, until);
      onEvent?.({ kind: 'pause', key, until });
    },
    apply(event) {
      // Providers keep the states of their keys.
      if (event.kind === 'key') return;
      if (event.kind === 'pause') remember(pauses, event.key, event.until);
      else if (event.kind === 'trial') breakers.admit(event.key, event.now, event.owner);
      else breakers.report(event.key, event.result, event.request, event.now);
    },
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

/**
 * Limits the retries of a target, so that retries do not multiply the load on a failing target. Each target
 * has its own budget.
 *
 * In any 10 seconds, failed retries are limited to `percent` of the requests, plus `perSecond` for each
 * second. A successful retry does not use up the budget, so a target that fails at random can still be
 * retried, but one that is down cannot. If other users have exhausted the budget, e.g. with requests that
 * always fail, a user can still retry `percent` of their own requests, plus one.
 */
interface RetryBudget {
  /** Counts a user's request, before its first call. */
  request(now: number, owner?: string): void;
  /** Takes a retry. Returns undefined if none is left; otherwise, a function to call if the retry succeeds. */
  take(now: number, owner?: string): (() => void) | undefined;
}

export interface RetryBudgetPolicy {
  /** Percentage of requests. */
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
  /** The same counts for each user. */
  readonly owners: Map<string, Counts>;
}

/** @internal Exported for tests only. */
export function createRetryBudget(policy: () => RetryBudgetPolicy): RetryBudget {
  const slots: Slot[] = [];
  /** This second's slot. Older slots are reused. */
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
  /** Counts over the last seconds, of all users or of one. */
  const recent = ({ second }: Slot, owner?: string): Counts => {
    const sum = { requests: 0, retries: 0 };
    for (const slot of Object.values(slots)) {
      // If the clock was set back, there are slots in the future. They only count if they are as close as
      // slots in the past must be.
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

/** A request that can be sent to a target. */
interface Admitted {
  readonly admitted: true;
  /** The request's user, if any. */
  readonly owner: string | undefined;
  /** Whether the request's result determines if requests are sent to the target again. */
  readonly isTrial: boolean;
  /** Whether the request's result determines if its user's requests are sent to the target again. */
  readonly isOwnTrial: boolean;
}

type TargetAdmission = Admitted | { readonly admitted: false; readonly retryAfter: number };

/**
 * The targets' circuit breakers. Because a request can fail due to its content, a user whose requests fail
 * must not block a target for other users. Each user therefore has a separate breaker for each target, and
 * a single user can cause at most half of the consecutive failures that open the target's breaker.
 */
interface TargetBreakers {
  admit(key: string, now: number, owner?: string): TargetAdmission;
  report(key: string, result: TargetResult, request: Omit<Admitted, 'admitted'>, now: number): void;
  readonly keys: () => readonly string[];
  /** Whether the target has failures since its last success, or the user has an own breaker for it. */
  isKnown(key: string, owner: string | undefined): boolean;
  /** A target's breaker for all users. */
  get(key: string): Breaker;
  /** The users whose own breaker for the target is open. */
  openFor(key: string, now: number): readonly string[];
  forget(isReplaced: (key: string) => boolean): void;
}

/** Maximum number of users per target who have their own breaker. */
const MAX_OWNERS = 1000;

function createTargetBreakers(policy: () => BreakerPolicy): TargetBreakers {
  const breakers = new Map<string, Breaker>();
  const histories = new Map<string, FailureHistory>();
  /** Failures since the target's last success, by user. */
  const shares = new Map<string, Map<string, number>>();
  const ownBreakers = new Map<string, Map<string, Breaker>>();

  const ownOf = (key: string, owner: string | undefined): Breaker =>
    (owner === undefined ? undefined : ownBreakers.get(key)?.get(owner)) ?? CLOSED_BREAKER;
  const setOwn = (key: string, owner: string, breaker: Breaker): void => {
    const ofTarget = ownBreakers.get(key);
    if (isNew(breaker)) {
      ofTarget?.delete(owner);
      if (ofTarget?.size === 0) ownBreakers.delete(key);
    } else remember(remembered(ownBreakers, key), owner, breaker, MAX_OWNERS);
  };
  const set = (key: string, breaker: Breaker): void => {
    if (isNew(breaker)) breakers.delete(key);
    else remember(breakers, key, breaker);
  };
  const learn = (key: string, { failures, openUntil }: Breaker): void => {
    // An outage is not a random failure.
    if (openUntil !== undefined) return;
    const history = histories.get(key);
    if (!history && failures === 0) return;
    const next = withRun(history, failures);
    if (next) remember(histories, key, next);
    else if (history) histories.delete(key);
  };
  /** Handles a failure that the request itself may have caused. */
  const judge = (
    key: string,
    owner: string,
    isTrial: boolean,
    own: Breaker,
    needed: number,
  ): 'failed' | 'abandoned' => {
    // If the user's own breaker is open, a failed trial is not counted, so that another user can try the
    // target again.
    if (isTrial) return own.openUntil === undefined ? 'failed' : 'abandoned';
    const ofTarget = remembered(shares, key);
    const share = (ofTarget.get(owner) ?? 0) + 1;
    remember(ofTarget, owner, share, MAX_OWNERS);
    return share > Math.ceil(needed / 2) ? 'abandoned' : 'failed';
  };

  return {
    admit(key, now, owner) {
      const own = admitCall(ownOf(key, owner), now);
      if (!own.admitted) return own;
      const admission = admitCall(breakers.get(key) ?? CLOSED_BREAKER, now);
      if (!admission.admitted) return admission;
      if (owner !== undefined && own.isTrial) setOwn(key, owner, own.breaker);
      if (admission.isTrial) remember(breakers, key, admission.breaker);
      return { admitted: true, owner, isTrial: admission.isTrial, isOwnTrial: own.isTrial };
    },
    report(key, result, { owner, isTrial, isOwnTrial }, now) {
      const breaker = breakers.get(key) ?? CLOSED_BREAKER;
      if (result === 'succeeded') {
        learn(key, breaker);
        shares.delete(key);
        breakers.delete(key);
        if (owner !== undefined) setOwn(key, owner, afterSuccess());
        return;
      }
      const { failures, ...times } = policy();
      const needed = failuresToOpen(histories.get(key), failures);
      let ofTarget: 'failed' | 'down' | 'abandoned' = result;
      if (owner !== undefined) {
        const own = ownOf(key, owner);
        if (result === 'failed') ofTarget = judge(key, owner, isTrial, own, needed);
        setOwn(
          key,
          owner,
          result === 'failed'
            ? afterFailure(own, isOwnTrial, now, { ...times, failures: needed })
            : afterAbandonment(own, isOwnTrial),
        );
      }
      set(
        key,
        ofTarget === 'abandoned'
          ? afterAbandonment(breaker, isTrial)
          : afterFailure(breaker, isTrial, now, { ...times, failures: needed }),
      );
    },
    keys: () => [...breakers.keys(), ...ownBreakers.keys()],
    isKnown: (key, owner) => breakers.has(key) || shares.has(key) || !isNew(ownOf(key, owner)),
    get: (key) => breakers.get(key) ?? CLOSED_BREAKER,
    openFor: (key, now) =>
      [...(ownBreakers.get(key) ?? [])]
        .filter(([, { openUntil }]) => openUntil !== undefined && openUntil > now)
        .map(([owner]) => owner),
    forget(isReplaced) {
      for (const states of [breakers, histories, shares, ownBreakers]) {
        for (const key of [...states.keys()].filter(isReplaced)) states.delete(key);
      }
    },
  };
}

/** Whether the breaker is in its initial state, as if nothing had failed. */
const isNew = ({ failures, openUntil }: Breaker): boolean => failures === 0 && openUntil === undefined;

function remembered<Value>(all: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const known = all.get(key) ?? new Map<string, Value>();
  remember(all, key, known);
  return known;
}

/** When to suspend calls to a failing target. All times are in milliseconds. */
export interface BreakerPolicy {
  /** Number of consecutive failures that open the breaker. */
  readonly failures: number;
  /** How long the breaker initially stays open. The time doubles after every failed trial, up to `maxOpen`. */
  readonly open: number;
  readonly maxOpen: number;
}

export const BREAKER_POLICY: BreakerPolicy = { failures: 5, open: 5000, maxOpen: 60_000 };

/** Immutable breaker state of one target. @internal Exported for tests only. */
export interface Breaker {
  /** Number of consecutive failures. */
  readonly failures: number;
  /** Time until which requests are rejected; undefined while the breaker is closed. */
  readonly openUntil: number | undefined;
  /** Last duration of the open state. */
  readonly openedFor: number;
  /** Whether a trial request is in progress. */
  readonly trial: boolean;
}

/** @internal Exported for tests only. */
export const CLOSED_BREAKER: Breaker = { failures: 0, openUntil: undefined, openedFor: 0, trial: false };

/** Whether a request can be sent to the target, with the new state. */
type Admission =
  | { readonly admitted: true; readonly breaker: Breaker; readonly isTrial: boolean }
  | { readonly admitted: false; readonly retryAfter: number };

/** @internal Exported for tests only. */
export function admitCall(breaker: Breaker, now: number): Admission {
  if (breaker.openUntil === undefined) return { admitted: true, breaker, isTrial: false };
  const left = breaker.openUntil - now;
  if (left > 0) return { admitted: false, retryAfter: left };
  // How long the trial will take is unknown; the last duration of the open state is a reasonable guess.
  if (breaker.trial) return { admitted: false, retryAfter: breaker.openedFor };
  return { admitted: true, breaker: { ...breaker, trial: true }, isTrial: true };
}

/** @internal Exported for tests only. */
export const afterSuccess = (): Breaker => CLOSED_BREAKER;

/** @internal Exported for tests only. */
export function afterFailure(
  breaker: Breaker,
  isTrial: boolean,
  now: number,
  policy: BreakerPolicy = BREAKER_POLICY,
): Breaker {
  const failures = breaker.failures + 1;
  if (isTrial) return opened(failures, Math.min(policy.maxOpen, breaker.openedFor * 2), now);
  // Failures of requests that were already in progress when the breaker opened carry no new information.
  if (breaker.openUntil !== undefined) return breaker;
  if (failures < policy.failures) return { ...breaker, failures };
  return opened(failures, policy.open, now);
}

/**
 * State after a request whose outcome does not concern the target: its client disconnected, or the request
 * was invalid. @internal Exported for tests only.
 */
export const afterAbandonment = (breaker: Breaker, isTrial: boolean): Breaker =>
  isTrial ? { ...breaker, trial: false } : breaker;

const opened = (failures: number, openedFor: number, now: number): Breaker => ({
  failures,
  openUntil: now + openedFor,
  openedFor,
  trial: false,
});
