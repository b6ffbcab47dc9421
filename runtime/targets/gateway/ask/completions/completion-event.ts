import { HTTP_STATUS } from '../../../../serve/errors/http-status.ts';
import type { CompletionEvent } from './telemetry.ts';
import { isUncounted } from './is-uncounted.ts';
import type { RequestState } from './request-state.ts';
import { type Outcome, priceOf, providerOf, tokensOf } from './usage-entries.ts';

/** What metrics and traces report of a request that has ended. */
export function completionEvent(
  { request, trace, attempts, admitted }: RequestState,
  { answered, error, streamed, firstByteMs }: Outcome,
  now: number,
): CompletionEvent {
  const { endpoint, requestId, startedAt } = request;
  const model = answered?.key ?? attempts.at(-1)?.target;
  const usage = answered && admitted && tokensOf(answered.summary, admitted.tokens);
  const price = answered && admitted?.prices.get(answered.key);
  return {
    endpoint,
    requestId,
    trace,
    model,
    provider: model && providerOf(model),
    status: error ? HTTP_STATUS[error.code] : 200,
    reason: error?.reason,
    usage,
    unpriced: answered !== undefined && admitted !== undefined && isUncounted(admitted, answered.key),
    cost: usage ? (priceOf(usage, price) ?? undefined) : undefined,
    attempts,
    streamed,
    startedAt,
    firstByteMs,
    durationMs: now - startedAt,
  };
}
