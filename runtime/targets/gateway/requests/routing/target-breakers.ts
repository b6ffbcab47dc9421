/**
 * What a request shows about its target. `down`: a failure that no request can cause, e.g. a refused connection. `failed`: one that the
 * request itself can have caused. `abandoned`: nothing.
 */
export type TargetResult = 'succeeded' | 'failed' | 'down' | 'abandoned';

/** A request that can go to a target. */
interface Admitted {
  readonly admitted: true;
  /** The user of the request, if it has one. */
  readonly owner: string | undefined;
  /** Whether its result decides if requests go to the target again. */
  readonly isTrial: boolean;
  /** Whether its result decides if those of its user do. */
  readonly isOwnTrial: boolean;
}

type TargetAdmission = Admitted | { readonly admitted: false; readonly retryAfter: number };

/**
 * The circuit breakers of targets. A request can fail because of its content, so a user whose requests fail must not close a target to
 * others: each user has a breaker of its own for a target, and of the failures in a row that open the breaker of the target, one user
 * causes at most half.
 */
export interface TargetBreakers {
  admit(key: string, now: number, owner?: string): TargetAdmission;
  report(key: string, result: TargetResult, request: Omit<Admitted, 'admitted'>, now: number): void;
  readonly keys: () => readonly string[];
  /** The breaker of a target for all users. */
  get(key: string): Breaker;
  /** The users whose own breaker is open. */
  openFor(key: string, now: number): readonly string[];
  forget(isReplaced: (key: string) => boolean): void;
}

/** Maximum number of users of a target with a breaker of their own. */
const MAX_OWNERS = 1000;

export function createTargetBreakers(policy: () => BreakerPolicy): TargetBreakers {
  const breakers = new Map<string, Breaker>();
  const histories = new Map<string, FailureHistory>();
  /** Failures since the last success of a target, by user. */
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
    const next = withRun(history, failures);
    if (next) remember(histories, key, next);
    else if (history) histories.delete(key);
  };
  /** What a failure that the request can have caused shows about the target. */
  const judge = (
    key: string,
    owner: string,
    isTrial: boolean,
    own: Breaker,
    needed: number,
  ): 'failed' | 'abandoned' => {
    // Another user tries the target again.
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

/** Whether the breaker is as if nothing had failed. */
const isNew = ({ failures, openUntil }: Breaker): boolean => failures === 0 && openUntil === undefined;

function remembered<Value>(all: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const known = all.get(key) ?? new Map<string, Value>();
  remember(all, key, known);
  return known;
}

/** When calls to a failing target are suspended. All times are in milliseconds. */
export interface BreakerPolicy {
  /** Number of consecutive failures that open the breaker. */
  readonly failures: number;
  /** How long the breaker stays open the first time. The time doubles after every failed trial, up to `maxOpen`. */
  readonly open: number;
  readonly maxOpen: number;
}

export const BREAKER_POLICY: BreakerPolicy = { failures: 5, open: 5000, maxOpen: 60_000 };

/** Immutable state of the breaker of one target. */
export interface Breaker {
  /** Number of consecutive failures. */
  readonly failures: number;
  /** Time until which requests are rejected; undefined while the breaker is closed. */
  readonly openUntil: number | undefined;
  /** Last duration of the open state. */
  readonly openedFor: number;
  /** Whether a trial request is running. */
  readonly trial: boolean;
}

/** @internal Exported for tests only. */
export const CLOSED_BREAKER: Breaker = { failures: 0, openUntil: undefined, openedFor: 0, trial: false };

/** Whether a request can go to the target, with the new state. */
type Admission =
  | { readonly admitted: true; readonly breaker: Breaker; readonly isTrial: boolean }
  | { readonly admitted: false; readonly retryAfter: number };

/** @internal Exported for tests only. */
export function admitCall(breaker: Breaker, now: number): Admission {
  if (breaker.openUntil === undefined) return { admitted: true, breaker, isTrial: false };
  const left = breaker.openUntil - now;
  if (left > 0) return { admitted: false, retryAfter: left };
  // The duration of a trial is unknown; the last open time is a fair guess.
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
  // Failures of requests that were already running when it opened carry no new information.
  if (breaker.openUntil !== undefined) return breaker;
  if (failures < policy.failures) return { ...breaker, failures };
  return opened(failures, policy.open, now);
}

/** State after a request whose outcome does not concern the target: its client disconnected, or the request was invalid. @internal Exported for tests only. */
export const afterAbandonment = (breaker: Breaker, isTrial: boolean): Breaker =>
  isTrial ? { ...breaker, trial: false } : breaker;

const opened = (failures: number, openedFor: number, now: number): Breaker => ({
  failures,
  openUntil: now + openedFor,
  openedFor,
  trial: false,
});

/**
 * How often a target failed when it was up, so that random failures are not taken for an outage. If 3 of 10 calls fail, 5 failures in a
 * row happen every few hundred calls.
 */
interface FailureHistory {
  /** Share of the last calls that failed, without those of outages. */
  readonly share: number;
  /** Number of calls, up to `MEMORY`. */
  readonly seen: number;
}

const MEMORY = 50;

/** The breaker opens after so many failures in a row that random failures would cause them this rarely. */
const MAX_CHANCE = 1e-7;

/** A target that fails more often than not is stopped at some time in any case. */
const MAX_FAILURES = 50;

/** A smaller share does not matter. */
const MIN_SHARE = 0.001;

/** The history after a number of failures in a row that a success has ended. Undefined if the target fails too rarely to matter. */
function withRun(history: FailureHistory | undefined, failures: number): FailureHistory | undefined {
  if (!history && failures === 0) return undefined;
  let { share, seen } = history ?? { share: 0, seen: 0 };
  for (let index = 0; index <= failures; index += 1) {
    seen = Math.min(MEMORY, seen + 1);
    share += ((index < failures ? 1 : 0) - share) / seen;
  }
  return share < MIN_SHARE ? undefined : { share, seen };
}

/** How many failures in a row open the breaker: `failures` for a target that rarely fails, more for others. */
function failuresToOpen(history: FailureHistory | undefined, failures: number): number {
  if (!history) return failures;
  const needed = Math.ceil(Math.log(MAX_CHANCE) / Math.log(Math.min(0.99, history.share)));
  return Math.max(failures, Math.min(MAX_FAILURES, needed));
}

/** Maximum number of states of each kind: names of models come from clients, so there could be any number of them. */
const MAX_TARGETS = 10_000;

/** Sets a value, and deletes the one that was set first if there are too many. */
export function remember<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
  max: number = MAX_TARGETS,
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
