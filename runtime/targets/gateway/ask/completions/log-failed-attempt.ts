import type { Logger } from '../../../../serve/log.ts';
import type { FailureKind } from '../providers/provider.ts';
import type { Attempt } from '../routing/routing.ts';

/** Failures that do not concern the health of a provider. */
const OF_THE_REQUEST = new Set<FailureKind | 'breaker_open'>([
  'bad_request',
  'too_large',
  'unsupported',
  'model_not_found',
  'answer_too_large',
  'cancelled',
]);

/** One line for each call of a provider that failed, with the reason. */
export function logFailedAttempt(log: Logger, requestId: string, attempt: Attempt): void {
  const { failure, target, number, upstreamStatus, durationMs, detail } = attempt;
  if (failure === undefined || attempt.outcome !== 'failed') return;
  const level = OF_THE_REQUEST.has(failure) ? 'info' : 'warn';
  log[level](
    {
      requestId,
      target,
      attempt: number,
      failure,
      upstreamStatus,
      durationMs: Math.round(durationMs),
      detail,
    },
    'a call of a provider failed',
  );
}
