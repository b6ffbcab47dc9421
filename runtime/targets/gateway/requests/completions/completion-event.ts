import type { AbandonedRead } from '../../providers/adapters/provider.ts';
import { statusOfError } from './budget-errors.ts';
import type { AbandonedEvent, CompletionEvent } from './telemetry.ts';
import { isUncounted } from './is-uncounted.ts';
import type { Admitted, RequestState } from './request-state.ts';
import { isEstimated, type Outcome, priceOf, providerOf, tokensOf } from './usage-entries.ts';

/** The event of a request that has ended, for metrics and traces. */
export function completionEvent(
  { request, trace, attempts, admitted }: RequestState,
  { answered, error, streamed, firstByteMs, cacheHit }: Outcome,
  now: number,
): CompletionEvent {
  const { endpoint, requestId, startedAt } = request;
  const model = answered?.key ?? attempts.at(-1)?.target;
  const usage = answered && admitted && tokensOf(answered.key, answered.summary, admitted.tokens);
  const price = answered && admitted?.prices.get(answered.key);
  return {
    endpoint,
    requestId,
    trace,
    model,
    provider: model && providerOf(model),
    status: error ? statusOfError(error, endpoint) : 200,
    reason: error?.reason,
    usage,
    unpriced:
      !cacheHit && answered !== undefined && admitted !== undefined && isUncounted(admitted, answered.key),
    cost: cacheHit ? 0n : usage ? (priceOf(usage, price) ?? undefined) : undefined,
    cacheHit,
    attempts,
    streamed,
    startedAt,
    firstByteMs,
    durationMs: now - startedAt,
  };
}

/** The event of an abandoned answer for metrics. With `isOwn`, its usage is already in the event of the request itself. */
export function abandonedEvent(
  admitted: Admitted,
  model: string,
  read: AbandonedRead,
  isOwn: boolean,
): AbandonedEvent {
  if (read.kind === 'failed') return { ...NOTHING_USED, model, outcome: 'failed' };
  const outcome = isEstimated(read.summary) ? 'estimated' : 'read';
  if (isOwn) return { ...NOTHING_USED, model, outcome };
  const usage = tokensOf(model, read.summary, admitted.tokens);
  const cost = priceOf(usage, admitted.prices.get(model)) ?? undefined;
  return { model, outcome, usage, cost, unpriced: isUncounted(admitted, model) };
}

const NOTHING_USED = { usage: undefined, cost: undefined, unpriced: false } as const;
