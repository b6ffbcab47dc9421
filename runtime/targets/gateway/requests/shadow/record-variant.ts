import { randomUUID } from 'node:crypto';
import type { ComparedRow } from '../../accounts/shadow/shadow-records.ts';
import type { VariantRequest } from '../completions/sampled-requests.ts';
import type { Outcome } from '../completions/settle-request.ts';
import type { CompletionEvent } from '../completions/telemetry.ts';

/** The finish reason of a response that the model or its provider refused to write. */
const REFUSED = 'content_filter';

/** The row of a request in an A/B test, or why it does not count. */
export function rowOfVariant(
  { request, variant, unit, test, spender, candidate }: VariantRequest,
  event: CompletionEvent,
  { answered, error }: Outcome,
): ComparedRow | string {
  // Nothing is known about the model if a limit or a guardrail rejected the request.
  if (event.attempts.length === 0) return event.cacheHit ? 'cached' : 'limited';
  if (error?.code === 'CancelledError') return 'canceled';
  // If the alias's targets respond instead, the candidate has failed.
  const hasFailed = event.status !== 200 || (variant === 'candidate' && event.model !== candidate);
  const isFiltered = event.attempts.some(({ failure }) => failure === 'content_filtered');
  const isRefused = isFiltered || answered?.summary?.finishReason === REFUSED;
  return {
    id: `ab-${randomUUID()}`,
    at: Math.floor(request.startedAt),
    request_id: request.requestId,
    user_id: spender.user.userId,
    api_key_id: spender.key?.id ?? '',
    model: event.model ?? '',
    failed: hasFailed ? 1 : 0,
    scores: {
      success: hasFailed ? 0 : 1,
      ...((isRefused || !hasFailed) && { no_refusal: isRefused ? 0 : 1 }),
    },
    cost_nano: event.cost ?? null,
    candidate_cost_nano: null,
    scoring_cost_nano: 0n,
    duration_ms: Math.round(event.durationMs),
    candidate_duration_ms: null,
    first_ms: event.firstByteMs === undefined ? null : Math.round(event.firstByteMs),
    candidate_first_ms: null,
    variant,
    unit,
    share: test.settings.share,
    output_tokens: event.usage?.completionTokens ?? null,
  };
}
