import type { FailureKind } from '../../providers/adapters/provider.ts';
import type { TargetResult } from './target-breakers.ts';

/** The consequences of a failure for the request and for its target. */
export interface Judgement {
  /** Whether a retry of the same target can succeed. */
  readonly retry: boolean;
  /** Whether another target can succeed. */
  readonly fallBack: boolean;
  /** The result that is reported to the breaker of the target. */
  readonly breaker: TargetResult;
}

/** Consequences by kind of failure. A target that answers is healthy, even if it rejects the request. */
const JUDGEMENTS: Readonly<Record<FailureKind, Judgement>> = {
  bad_request: { retry: false, fallBack: false, breaker: 'succeeded' },
  // Another provider can have another filter, but a filter must not be avoided without the caller.
  content_filtered: { retry: false, fallBack: false, breaker: 'succeeded' },
  too_large: { retry: false, fallBack: true, breaker: 'succeeded' },
  unsupported: { retry: false, fallBack: true, breaker: 'succeeded' },
  model_not_found: { retry: false, fallBack: true, breaker: 'succeeded' },
  credentials: { retry: false, fallBack: true, breaker: 'down' },
  billing: { retry: false, fallBack: true, breaker: 'down' },
  // Not a failure for the breaker: providers often set the pause themselves with `Retry-After`.
  rate_limited: { retry: true, fallBack: true, breaker: 'abandoned' },
  overloaded: { retry: true, fallBack: true, breaker: 'failed' },
  // Not retried: most clients do not wait for a second time limit.
  timeout: { retry: false, fallBack: true, breaker: 'failed' },
  unreachable: { retry: true, fallBack: true, breaker: 'down' },
  provider_error: { retry: true, fallBack: true, breaker: 'failed' },
  // Not retried: the next answer would be as large, and this one is already billed.
  answer_too_large: { retry: false, fallBack: false, breaker: 'succeeded' },
  stream_incomplete: { retry: true, fallBack: true, breaker: 'failed' },
  cancelled: { retry: false, fallBack: false, breaker: 'abandoned' },
};

export const judgeFailure = (kind: FailureKind): Judgement => JUDGEMENTS[kind];
