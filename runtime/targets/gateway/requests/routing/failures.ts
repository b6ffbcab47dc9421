import type { FailureKind } from '../../providers/adapters/provider.ts';

/**
 * What a request reveals about its target. `down`: a failure that no request can cause, e.g. a refused
 * connection. `failed`: one that the request itself may have caused. `abandoned`: nothing.
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

/** Consequences by kind of failure. A target that responds is healthy, even if it rejects the request. */
export const JUDGEMENTS: Readonly<Record<FailureKind, Judgement>> = {
  bad_request: { retry: false, fallBack: false, breaker: 'succeeded' },
  // Another provider can have another filter, but a filter must not be bypassed without the caller's
  // knowledge.
  content_filtered: { retry: false, fallBack: false, breaker: 'succeeded' },
  too_large: { retry: false, fallBack: true, breaker: 'succeeded' },
  unsupported: { retry: false, fallBack: true, breaker: 'succeeded' },
  model_not_found: { retry: false, fallBack: true, breaker: 'succeeded' },
  credentials: { retry: false, fallBack: true, breaker: 'down' },
  billing: { retry: false, fallBack: true, breaker: 'down' },
  // Not a failure for the breaker: providers often set the pause themselves with `Retry-After`.
  rate_limited: { retry: true, fallBack: true, breaker: 'abandoned' },
  overloaded: { retry: true, fallBack: true, breaker: 'failed' },
  // Not retried: most clients do not wait for a second timeout.
  timeout: { retry: false, fallBack: true, breaker: 'failed' },
  unreachable: { retry: true, fallBack: true, breaker: 'down' },
  provider_error: { retry: true, fallBack: true, breaker: 'failed' },
  // Not retried: the next response would be as large, and this one is already billed.
  answer_too_large: { retry: false, fallBack: false, breaker: 'succeeded' },
  stream_incomplete: { retry: true, fallBack: true, breaker: 'failed' },
  cancelled: { retry: false, fallBack: false, breaker: 'abandoned' },
};

/**
 * How often a target failed while it was up, so that random failures are not mistaken for an outage. If 3 out
 * of 10 calls fail, 5 consecutive failures happen every few hundred calls.
 */
export interface FailureHistory {
  /** Fraction of the last calls that failed, excluding outages. */
  readonly share: number;
  /** Number of calls, up to `MEMORY`. */
  readonly seen: number;
}

const MEMORY = 50;

/** The breaker opens after so many consecutive failures that random failures would cause them this rarely. */
const MAX_CHANCE = 1e-7;

/** A target that fails most of the time is eventually suspended in any case. */
const MAX_FAILURES = 50;

/** A smaller fraction does not matter. */
const MIN_SHARE = 0.001;

/**
 * The history after a number of consecutive failures that ended with a success. Undefined if the target fails
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
