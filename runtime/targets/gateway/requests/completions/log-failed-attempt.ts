import type { Logger } from '#serve/log.ts';
import type { FailureKind } from '../../providers/adapters/provider.ts';
import type { Attempt } from '../routing/routing.ts';

/** Failures that are caused by the request and do not concern the health of the provider. */
const REQUEST_FAILURES = new Set<FailureKind | 'breaker_open'>([
  'bad_request',
  'too_large',
  'unsupported',
  'model_not_found',
  'answer_too_large',
  'cancelled',
]);

/** Logs a failed call of a provider with its reason. */
export function logFailedAttempt(log: Logger, requestId: string, attempt: Attempt): void {
  const { failure, target, number, upstreamStatus, durationMs, detail, noRetry } = attempt;
  if (failure === undefined || attempt.outcome !== 'failed') return;
  const level = REQUEST_FAILURES.has(failure) ? 'info' : 'warn';
  log[level](
    {
      requestId,
      target,
      attempt: number,
      failure,
      upstreamStatus,
      durationMs: Math.round(durationMs),
      detail,
      noRetry,
    },
    'provider call failed',
  );
}
