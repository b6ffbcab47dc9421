import type { Reservation } from '../../accounts/ledger/ledger.ts';
import type { Attempt } from '../routing/routing.ts';
import type { RequestTrace } from '#serve/telemetry/request-trace.ts';
import type { CompletionRequest } from './completion.ts';
import type { ExpectedTokens, PriceList } from './estimate.ts';
import type { Logger } from '#serve/log.ts';
import type { AbandonedRead } from '../../providers/adapters/provider.ts';
import {
  statusOfError,
  isEstimated,
  costOfUsage,
  providerOf,
  tokensOf,
  type Outcome,
} from './usage-entries.ts';
import type { AbandonedEvent, CompletionEvent } from './telemetry.ts';

/** State of a request that usage tracking needs. */
export interface RequestState {
  readonly request: CompletionRequest;
  readonly trace: RequestTrace | undefined;
  readonly attempts: readonly Attempt[];
  /** Undefined until the ledger has admitted the request. */
  readonly admitted: Admitted | undefined;
}

export interface Admitted {
  readonly reservation: Reservation;
  readonly prices: PriceList;
  readonly tokens: ExpectedTokens;
  /** The client's own user. */
  readonly endUser?: string | undefined;
  /** Ids that the request names. */
  readonly references: ReadonlySet<string>;
}

/** Whether a budget applies and the model has no price: the budget does not count its cost. */
function isUncounted({ reservation, prices }: Admitted, model: string): boolean {
  const { user, key } = reservation.spender;
  const hasBudget = user.limits.maxBudget !== null || (key !== undefined && key.limits.maxBudget !== null);
  return hasBudget && prices.get(model) === undefined;
}

/** Logs a warning if the cost of a model is not counted in a budget. Returns whether that is the case. */
export function warnUncounted(log: Logger, { request, admitted }: RequestState, model: string): boolean {
  if (!admitted || !isUncounted(admitted, model)) return false;
  const { requestId } = request;
  log.warn({ requestId, model }, 'model without a price: its cost is not counted in the budget');
  return true;
}

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
    cost: cacheHit ? 0n : usage ? (costOfUsage(usage, price) ?? undefined) : undefined,
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
  const cost = costOfUsage(usage, admitted.prices.get(model)) ?? undefined;
  return { model, outcome, usage, cost, unpriced: isUncounted(admitted, model) };
}

const NOTHING_USED = { usage: undefined, cost: undefined, unpriced: false } as const;
