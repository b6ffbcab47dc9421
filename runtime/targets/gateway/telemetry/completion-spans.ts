import { lookup } from '#core/values/lookup.ts';
import { dollarsOf } from '../shared/money.ts';
import type { Attempt } from '../requests/routing/routing.ts';
import { parseModel } from '../shared/model-string.ts';
import { attributesOf, nanoTime, type OtlpSpan, SPAN_KINDS, STATUS_ERROR } from '#serve/telemetry/otlp.ts';
import { newSpanId, type RequestTrace } from '#serve/telemetry/request-trace.ts';
import type { CompletionEvent } from '../requests/completions/telemetry.ts';

/**
 * Creates a span for a request, and a child span for each provider call. Only the request's span has token
 * counts, so that sums over spans do not count them twice.
 */
export function completionSpans(event: CompletionEvent, trace: RequestTrace): OtlpSpan[] {
  const { endpoint, status, reason, usage, cost, startedAt, firstByteMs } = event;
  const endedAt = startedAt + event.durationMs;
  const failed = status >= 500 || (reason !== undefined && status < 400);
  const request: OtlpSpan = {
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentId,
    name: `POST ${endpoint}`,
    kind: SPAN_KINDS.server,
    startTimeUnixNano: nanoTime(startedAt),
    endTimeUnixNano: nanoTime(endedAt),
    attributes: attributesOf({
      'http.request.method': 'POST',
      'http.route': endpoint,
      'http.response.status_code': status,
      'error.type': reason ?? (status >= 500 ? String(status) : undefined),
      ...modelAttributes(endpoint, event.model),
      'gen_ai.usage.input_tokens': usage?.promptTokens,
      'gen_ai.usage.output_tokens': usage?.completionTokens,
      'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens || undefined,
      'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWriteTokens || undefined,
      'gateway.request_id': event.requestId,
      'gateway.streamed': event.streamed,
      'gateway.cache_hit': event.cacheHit,
      'gateway.attempts': event.attempts.length,
      'gateway.cost_dollars': cost === undefined ? undefined : { fraction: dollarsOf(cost) },
      'gateway.first_byte_ms': firstByteMs === undefined ? undefined : { fraction: firstByteMs },
    }),
    // According to the semantic conventions, client errors are not errors of this span.
    status: failed ? { code: STATUS_ERROR, ...(reason === undefined ? {} : { message: reason }) } : {},
  };
  return [request, ...event.attempts.map((attempt) => attemptSpan(event, trace, attempt, endedAt))];
}

function attemptSpan(
  { endpoint, streamed }: CompletionEvent,
  { traceId, spanId }: RequestTrace,
  attempt: Attempt,
  endedAt: number,
): OtlpSpan {
  const { target, outcome, startedAt } = attempt;
  // A client disconnect is not a provider failure.
  const failure = attempt.failure === 'cancelled' ? undefined : attempt.failure;
  // A streamed attempt ends with its stream.
  const end = outcome === 'answered' && streamed ? endedAt : startedAt + attempt.durationMs;
  return {
    traceId,
    spanId: newSpanId(),
    parentSpanId: spanId,
    name: `${operationOf(endpoint)} ${parseModel(target)?.model ?? target}`,
    kind: SPAN_KINDS.client,
    startTimeUnixNano: nanoTime(startedAt),
    endTimeUnixNano: nanoTime(Math.max(startedAt, end)),
    attributes: attributesOf({
      ...modelAttributes(endpoint, target),
      'http.request.resend_count': attempt.number > 1 ? attempt.number - 1 : undefined,
      'http.response.status_code': attempt.upstreamStatus,
      'error.type': failure,
    }),
    status: failure === undefined ? {} : { code: STATUS_ERROR, message: failure },
  };
}

/** @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ */
function modelAttributes(endpoint: string, key: string | undefined): Record<string, string | undefined> {
  const name = key === undefined ? undefined : parseModel(key);
  return {
    'gen_ai.operation.name': operationOf(endpoint),
    'gen_ai.provider.name': name && (KNOWN_PROVIDERS[name.provider] ?? name.provider),
    'gen_ai.request.model': name?.model ?? key,
  };
}

const operationOf = (endpoint: string): string => OPERATIONS[endpoint] ?? 'chat';

const OPERATIONS = lookup<string>({
  '/v1/embeddings': 'embeddings',
  '/v1/classify': 'classify',
});

/** The provider names in the semantic conventions that differ from this gateway's presets. */
const KNOWN_PROVIDERS = lookup<string>({
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
});
