import {
  abandoned,
  type Admission,
  admit,
  type Breaker,
  type BreakerPolicy,
  CLOSED_BREAKER,
  failed,
  succeeded,
} from './circuit-breaker.ts';

/** What is remembered of targets between requests. */
export interface TargetStates {
  admit(key: string, now: number): Admission;
  report(key: string, what: 'succeeded' | 'failed' | 'abandoned', isTrial: boolean, now: number): void;
  /** It has asked for a pause. */
  pause(key: string, until: number): void;
  isPaused(key: string, now: number): boolean;
  /** What is known of these targets counts no more: they are others now. */
  forget(isOther: (key: string) => boolean): void;
}

/** Model names come from clients: what is remembered has a limit. */
const MOST_TARGETS = 10_000;

export function createTargetStates(policy: () => BreakerPolicy): TargetStates {
  const breakers = new Map<string, Breaker>();
  const pauses = new Map<string, number>();
  const remember = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
    map.delete(key);
    map.set(key, value);
    const [oldest] = map.keys();
    if (map.size > MOST_TARGETS && oldest !== undefined) map.delete(oldest);
  };
  return {
    admit(key, now) {
      const admission = admit(breakers.get(key) ?? CLOSED_BREAKER, now);
      if (admission.admitted && admission.isTrial) remember(breakers, key, admission.breaker);
      return admission;
    },
    report(key, what, isTrial, now) {
      const breaker = breakers.get(key) ?? CLOSED_BREAKER;
      const next =
        what === 'failed'
          ? failed(breaker, isTrial, now, policy())
          : what === 'abandoned'
            ? abandoned(breaker, isTrial)
            : succeeded();
      if (next.failures === 0 && next.openUntil === undefined) breakers.delete(key);
      else remember(breakers, key, next);
    },
    pause: (key, until) => remember(pauses, key, until),
    isPaused(key, now) {
      const until = pauses.get(key);
      if (until === undefined) return false;
      if (until <= now) pauses.delete(key);
      return until > now;
    },
    forget(isOther) {
      for (const known of [breakers, pauses]) {
        for (const key of [...known.keys()].filter(isOther)) known.delete(key);
      }
    },
  };
}
