import { type Registry, Counter, Gauge } from 'prom-client';
import type { Clock } from '#platform/clock.ts';
import { LabeledCounter, LabeledHistogram } from '#serve/labeled-metrics.ts';
import { traceOf } from '#serve/telemetry/request-trace.ts';
import { openSpanQueue } from '#serve/telemetry/span-queue.ts';
import type { TracingSettings } from '#serve/telemetry/tracing-settings.ts';
import type {
  Telemetry,
  AbandonedEvent,
  CompletionEvent,
  ToolCallEvent,
} from '../requests/completions/telemetry.ts';
import { completionSpans } from './completion-spans.ts';
import type { Attempt } from '../requests/routing/routing.ts';
import { parseModel } from '../shared/model-string.ts';

export interface TelemetryOptions {
  readonly metrics: Registry;
  /** Where spans are sent; undefined if tracing is disabled. */
  readonly tracing: TracingSettings | undefined;
  readonly clock: Clock;
  readonly version: string;
  /** Returns the number of requests in flight. */
  readonly activeRequests: () => number;
  /** Receives telemetry errors, which never fail a request. */
  readonly onError: (error: unknown) => void;
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { tracing, onError } = options;
  const metrics = createGatewayMetrics(options.metrics, options.activeRequests);
  const { clock, version } = options;
  const source = { scope: 'gateway', version, clock, count: metrics.spans, onError };
  const queue = tracing && openSpanQueue(tracing, source);
  const quietly = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onError(error);
    }
  };
  return {
    trace: (headers) => tracing && traceOf(headers, tracing.sampled, Math.random),
    completed: (event) =>
      quietly(() => {
        metrics.completed(event);
        const { trace } = event;
        if (!trace?.sampled) return;
        queue?.add({ count: 1 + event.attempts.length, create: () => completionSpans(event, trace) });
      }),
    abandoned: (event) => quietly(() => metrics.abandoned(event)),
    toolCalled: (event) => quietly(() => metrics.toolCalled(event)),
    authFailed: (reason) => quietly(() => metrics.authFailed(reason)),
    alerted: (outcome) => quietly(() => metrics.alerted(outcome)),
    close: async (limitMs) => await queue?.close(limitMs).catch(onError),
  };
}

interface GatewayMetrics {
  readonly completed: (event: CompletionEvent) => void;
  readonly abandoned: (event: AbandonedEvent) => void;
  readonly toolCalled: (event: ToolCallEvent) => void;
  readonly authFailed: (reason: string) => void;
  readonly alerted: (outcome: 'sent' | 'retried' | 'failed') => void;
  readonly spans: (outcome: 'sent' | 'dropped', count: number) => void;
}

/** Histogram buckets in seconds; model responses take anywhere from milliseconds to minutes. */
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const DOLLARS = [0.00001, 0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
const AUTH_REASONS: ReadonlySet<string> = new Set([
  'missing_credentials',
  'invalid_format',
  'invalid_key',
  'inactive_key',
  'expired_key',
]);
const HTTP_DURATIONS = 'http_request_duration_seconds';

/**
 * Creates the gateway's metrics. Label cardinality is limited: labels contain no user, key or path, and only
 * a limited number of models.
 */
function createGatewayMetrics(registry: Registry, activeRequests: () => number): GatewayMetrics {
  const counter = <Label extends string = never>(
    name: string,
    help: string,
    ...labelNames: Label[]
  ): LabeledCounter<Label> => new LabeledCounter(registry, { name, help, labelNames });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ): LabeledHistogram<Label> => new LabeledHistogram(registry, { name, help, labelNames, buckets });

  countRequests(registry);
  void new Gauge({
    name: 'gateway_active_requests',
    help: 'Requests in flight, including streams.',
    registers: [registry],
    collect() {
      this.set(activeRequests());
    },
  });
  const durations = histogram(
    'gateway_request_duration_seconds',
    'Duration of model requests, until the end of the response.',
    SECONDS,
    'method',
    'endpoint',
  );
  const firstBytes = histogram(
    'gateway_time_to_first_byte_seconds',
    'Duration of model requests, until the first byte of the response.',
    SECONDS,
    'endpoint',
  );
  const tokens = counter(
    'gateway_tokens_total',
    'Input and output tokens processed by models.',
    'provider',
    'model',
    'type',
  );
  const cached = counter(
    'gateway_cached_tokens_total',
    "Input tokens read from a provider's cache.",
    'provider',
    'model',
  );
  const written = counter(
    'gateway_cache_write_tokens_total',
    "Input tokens written to a provider's cache.",
    'provider',
    'model',
  );
  const costs = histogram(
    'gateway_request_cost_dollars',
    'Cost of a request in US dollars.',
    DOLLARS,
    'provider',
    'model',
  );
  const rateLimited = counter('gateway_rate_limit_hits_total', 'Requests rejected because of a rate limit.');
  const overBudget = counter(
    'gateway_budget_exceeded_total',
    'Requests rejected because a budget is spent or too small.',
  );
  const budgetReserved = counter(
    'gateway_budget_reserved_total',
    'Requests rejected because the remaining budget is reserved for requests in flight.',
  );
  const unpricedUses = counter(
    'gateway_unpriced_requests_total',
    'Requests under a budget that used a model without a price.',
    'provider',
    'model',
  );
  const abandoned = counter(
    'gateway_abandoned_answers_total',
    'Responses whose client disconnected or whose time limit passed before the first byte.',
    'provider',
    'outcome',
  );
  const cacheHits = counter(
    'gateway_cache_hits_total',
    'Requests served from the cache: with the response to an identical request (exact) or to a similar one (semantic).',
    'kind',
  );
  const authFailures = counter('gateway_auth_failures_total', 'Credentials rejected.', 'reason');
  const attempts = counter('gateway_attempts_total', 'Provider calls.', 'provider', 'outcome');
  const retries = counter('gateway_retries_total', 'Retries of the same model.', 'provider');
  const withheld = counter(
    'gateway_retries_withheld_total',
    'Failed calls that were not retried because the model’s retry budget is exhausted.',
    'provider',
    'model',
  );
  const fallbacks = counter('gateway_fallbacks_total', 'Requests served by a fallback model.');
  const toolCalls = counter(
    'gateway_tool_calls_total',
    'Calls of tools of MCP servers, by label of the server.',
    'server',
    'outcome',
  );
  const toolDurations = histogram(
    'gateway_tool_call_duration_seconds',
    'Duration of calls of tools of MCP servers, by label of the server.',
    SECONDS,
    'server',
  );
  const alerts = counter('gateway_alerts_total', 'Attempts to send an alert to the webhook.', 'outcome');
  const spans = counter('gateway_spans_total', 'Spans sent to the collector, or dropped.', 'outcome');

  const labelsOf = createModelLabels();
  const countUse = ({
    model,
    usage,
    cost,
    unpriced,
  }: Pick<CompletionEvent, 'model' | 'usage' | 'cost' | 'unpriced'>): void => {
    if (!usage && cost === undefined) return;
    const labels = labelsOf(model, cost !== undefined);
    if (unpriced) unpricedUses.inc(labels);
    if (cost !== undefined) costs.observe(labels, Number(cost) / 1e9);
    if (!usage) return;
    if (usage.promptTokens > 0) tokens.inc({ ...labels, type: 'input' }, usage.promptTokens);
    if (usage.completionTokens > 0) tokens.inc({ ...labels, type: 'output' }, usage.completionTokens);
    if (usage.cachedTokens > 0) cached.inc(labels, usage.cachedTokens);
    if (usage.cacheWriteTokens > 0) written.inc(labels, usage.cacheWriteTokens);
  };
  const countAttempts = (all: readonly Attempt[]): void => {
    all.forEach(({ target, outcome, failure, noRetry }, index) => {
      const provider = providerIn(target);
      if (noRetry === 'budget_spent') withheld.inc(labelsOf(target, false));
      attempts.inc({ provider, outcome: failure ?? outcome });
      if (outcome !== 'skipped' && index > 0 && all[index - 1]?.target === target) retries.inc({ provider });
    });
    const last = all.at(-1);
    if (last?.outcome === 'answered' && last.target !== all[0]?.target) fallbacks.inc();
  };

  return {
    completed(event) {
      const { endpoint, reason, firstByteMs } = event;
      durations.observe({ method: 'POST', endpoint }, event.durationMs / 1000);
      if (firstByteMs !== undefined) firstBytes.observe({ endpoint }, firstByteMs / 1000);
      countAttempts(event.attempts);
      if (reason === 'rate_limited') rateLimited.inc();
      if (reason === 'budget_exceeded' || reason === 'estimate_exceeds_budget') overBudget.inc();
      if (reason === 'budget_reserved') budgetReserved.inc();
      // A cached response was not generated by a model.
      if (event.cacheHit) cacheHits.inc({ kind: event.cacheHit });
      else countUse(event);
    },
    abandoned(event) {
      abandoned.inc({ provider: providerIn(event.model), outcome: event.outcome });
      countUse(event);
    },
    // Safe as a label, because only configured servers are called.
    toolCalled({ server, outcome, durationMs }) {
      toolCalls.inc({ server, outcome });
      toolDurations.observe({ server }, durationMs / 1000);
    },
    authFailed: (reason) => authFailures.inc({ reason: AUTH_REASONS.has(reason) ? reason : OTHER }),
    alerted: (outcome) => alerts.inc({ outcome }),
    spans: (outcome, count) => spans.inc({ outcome }, count),
  };
}

/** Safe as a label, because only configured providers are called. */
const providerIn = (key: string): string => key.slice(0, key.indexOf(':'));

/** Exposes the counts of the HTTP server's duration histogram under the name that gateway dashboards expect. */
function countRequests(registry: Registry): void {
  void new Counter({
    name: 'gateway_requests_total',
    help: 'Completed HTTP requests.',
    labelNames: ['method', 'endpoint', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      const durations: unknown = registry.getSingleMetric(HTTP_DURATIONS);
      if (!(durations instanceof LabeledHistogram)) return;
      const all = (durations as LabeledHistogram<'method' | 'route' | 'status'>).counts();
      for (const { labels, count } of all) {
        const { method, route, status } = labels;
        this.inc({ method, endpoint: route, status }, count);
      }
    },
  });
}

interface ModelLabels {
  readonly provider: string;
  readonly model: string;
}

const OTHER = 'other';

/** Maximum number of unpriced models, because clients can request any name. */
const MAX_UNPRICED = 100;
const MAX_MODELS = 1000;

/**
 * Returns a function that maps a model to its labels. Clients choose model names, and some providers accept
 * any name, so only models with a price and a limited number of others get their own labels.
 */
function createModelLabels(): (key: string | undefined, hasPrice: boolean) => ModelLabels {
  const known = new Map<string, ModelLabels>();
  let unpriced = 0;
  return (key, hasPrice) => {
    if (key === undefined) return { provider: OTHER, model: OTHER };
    const before = known.get(key);
    if (before) return before;
    const name = parseModel(key);
    const provider = name?.provider ?? OTHER;
    if (!name || known.size >= MAX_MODELS || (!hasPrice && unpriced >= MAX_UNPRICED)) {
      return { provider, model: OTHER };
    }
    if (!hasPrice) unpriced += 1;
    known.set(key, name);
    return name;
  };
}
