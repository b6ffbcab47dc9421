import type { FailureKind } from '../../providers/adapters/provider.ts';

/**
 * What the result of a request reveals about its target. `down`: a failure that a request cannot cause,
 * e.g. a refused connection. `failed`: a failure that the request itself may have caused. `abandoned`:
 * nothing is revealed.
 */
export type TargetResult = 'succeeded' | 'failed' | 'down' | 'abandoned';

/** The consequences of a failure for the request and its target. */
interface Judgement {
  /** Whether a retry of the same target can succeed. */
  readonly retry: boolean;
  /** Whether another target can succeed. */
  readonly fallBack: boolean;
  /** The result to report to the target's breaker. */
  readonly breaker: TargetResult;
}

/**
 * The consequences of each kind of failure. A target that responds is healthy, even if it rejects the
 * request.
 */
export const JUDGEMENTS: Readonly<Record<FailureKind, Judgement>> = {
  bad_request: { retry: false, fallBack: false, breaker: 'succeeded' },
  // No other target is tried: another provider can have a different filter, but a filter must not be
  // bypassed without the caller's knowledge.
  content_filtered: { retry: false, fallBack: false, breaker: 'succeeded' },
  too_large: { retry: false, fallBack: true, breaker: 'succeeded' },
  unsupported: { retry: false, fallBack: true, breaker: 'succeeded' },
  model_not_found: { retry: false, fallBack: true, breaker: 'succeeded' },
  credentials: { retry: false, fallBack: true, breaker: 'down' },
  billing: { retry: false, fallBack: true, breaker: 'down' },
  // The breaker does not count rate limits as failures: providers often set the pause themselves with
  // `Retry-After`.
  rate_limited: { retry: true, fallBack: true, breaker: 'abandoned' },
  overloaded: { retry: true, fallBack: true, breaker: 'failed' },
  // Timeouts are not retried, because most clients do not wait for a second timeout.
  timeout: { retry: false, fallBack: true, breaker: 'failed' },
  unreachable: { retry: true, fallBack: true, breaker: 'down' },
  provider_error: { retry: true, fallBack: true, breaker: 'failed' },
  // Not retried, because the next response would be just as large, and this response has already been
  // billed.
  answer_too_large: { retry: false, fallBack: false, breaker: 'succeeded' },
  stream_incomplete: { retry: true, fallBack: true, breaker: 'failed' },
  cancelled: { retry: false, fallBack: false, breaker: 'abandoned' },
};

/**
 * The result of a failure for the target's breaker. The message of a 400 or 403 can repeat words from the
 * request, e.g. `billing`, so the request itself may have caused it.
 */
export function breakerResult(kind: FailureKind, status: number | undefined): TargetResult {
  const { breaker } = JUDGEMENTS[kind];
  return breaker === 'down' && (status === 400 || status === 403) ? 'failed' : breaker;
}

/**
 * How often a target has failed while it was up. The history prevents random failures from being mistaken
 * for an outage: if 3 out of 10 calls fail at random, 5 consecutive failures happen every few hundred
 * calls.
 */
export interface FailureHistory {
  /** Fraction of the recent calls that failed, excluding outages. */
  readonly share: number;
  /** Number of calls that the fraction is based on, up to `MEMORY`. */
  readonly seen: number;
}

const MEMORY = 50;

/**
 * The breaker opens when the probability that random failures cause so many consecutive failures is no
 * higher than this.
 */
const MAX_CHANCE = 1e-7;

/** After this many consecutive failures, even a target that usually fails is suspended. */
const MAX_FAILURES = 50;

/** A smaller fraction of failures is ignored. */
const MIN_SHARE = 0.001;

/**
 * The history after a number of consecutive failures followed by a success. Undefined if the target fails
 * too rarely to matter.
 */
export function withRun(history: FailureHistory | undefined, failures: number): FailureHistory | undefined {
  let { share, seen } = history ?? { share: 0, seen: 0 };
  for (let index = 0; index <= failures; index += 1) {
    seen = Math.min(MEMORY, seen + 1);
    share += ((index < failures ? 1 : 0) - share) / seen;
  }
  return share < MIN_SHARE ? undefined : { share, seen };
}

/** Number of consecutive failures that open the breaker: `failures` for a target that rarely fails, more for others. */
export function failuresToOpen(history: FailureHistory | undefined, failures: number): number {
  if (!history) return failures;
  const needed = Math.ceil(Math.log(MAX_CHANCE) / Math.log(Math.min(0.99, history.share)));
  return Math.max(failures, Math.min(MAX_FAILURES, needed));
}
