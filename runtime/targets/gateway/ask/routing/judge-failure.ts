import type { FailureKind } from '../providers/provider.ts';

/** What a failure means for the request and for its target. */
export interface Judgement {
  /** Whether the same target may do better at once. */
  readonly retry: boolean;
  /** Whether another target may do better. */
  readonly fallBack: boolean;
  /** What the target's breaker is told. */
  readonly breaker: 'failed' | 'abandoned' | 'succeeded';
}

/** A target that answers, even if it refuses, is well. */
const JUDGEMENTS: Readonly<Record<FailureKind, Judgement>> = {
  bad_request: { retry: false, fallBack: false, breaker: 'succeeded' },
  too_large: { retry: false, fallBack: true, breaker: 'succeeded' },
  unsupported: { retry: false, fallBack: true, breaker: 'succeeded' },
  model_not_found: { retry: false, fallBack: true, breaker: 'succeeded' },
  credentials: { retry: false, fallBack: true, breaker: 'failed' },
  billing: { retry: false, fallBack: true, breaker: 'failed' },
  // How long to leave it alone it has often said itself.
  rate_limited: { retry: true, fallBack: true, breaker: 'abandoned' },
  overloaded: { retry: true, fallBack: true, breaker: 'failed' },
  // Twice the time is more than a client will wait.
  timeout: { retry: false, fallBack: true, breaker: 'failed' },
  unreachable: { retry: true, fallBack: true, breaker: 'failed' },
  provider_error: { retry: true, fallBack: true, breaker: 'failed' },
  // The next answer would be as large, and this one is to be paid for already.
  answer_too_large: { retry: false, fallBack: false, breaker: 'succeeded' },
  stream_incomplete: { retry: true, fallBack: true, breaker: 'failed' },
  cancelled: { retry: false, fallBack: false, breaker: 'abandoned' },
};

export const judgeFailure = (kind: FailureKind): Judgement => JUDGEMENTS[kind];
