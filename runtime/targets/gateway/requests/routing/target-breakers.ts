import {
  abandoned,
  admit,
  type Breaker,
  type BreakerPolicy,
  CLOSED_BREAKER,
  failed,
  succeeded,
} from './circuit-breaker.ts';
import { type FailureHistory, failuresToOpen, withRun } from './failure-history.ts';
import { remember } from './remember.ts';

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
      const own = admit(ownOf(key, owner), now);
      if (!own.admitted) return own;
      const admission = admit(breakers.get(key) ?? CLOSED_BREAKER, now);
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
        if (owner !== undefined) setOwn(key, owner, succeeded());
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
            ? failed(own, isOwnTrial, now, { ...times, failures: needed })
            : abandoned(own, isOwnTrial),
        );
      }
      set(
        key,
        ofTarget === 'abandoned'
          ? abandoned(breaker, isTrial)
          : failed(breaker, isTrial, now, { ...times, failures: needed }),
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
