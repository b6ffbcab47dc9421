import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createRequestObserver } from '#serve/http/observe.ts';
import type { Telemetry } from '#gateway/requests/completions/telemetry.ts';
import { createTelemetry } from '#gateway/telemetry/create-telemetry.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { attempt, completion, tokens } from './completions.ts';

/** Metric lines, without comments and buckets. */
function open(metrics = new Registry()): {
  telemetry: Telemetry;
  lines: (start: string) => Promise<string[]>;
} {
  const telemetry = createTelemetry({
    metrics,
    tracing: undefined,
    clock: systemClock,
    version: '1.0.0',
    activeRequests: () => 3,
    onError: (error) => {
      throw error;
    },
  });
  const lines = async (start: string): Promise<string[]> =>
    (await metrics.metrics())
      .split('\n')
      .filter((line) => line.startsWith(start) && !line.includes('_bucket'));
  return { telemetry, lines };
}

test('counts the tokens, cost and duration of responses', async () => {
  const { telemetry, lines } = open();
  telemetry.completed(completion());
  telemetry.completed(completion({ usage: tokens(50, 0, { cachedTokens: 40, cacheWriteTokens: 5 }) }));
  telemetry.completed(completion({ endpoint: '/v1/embeddings', model: 'mistral:embed', cost: undefined }));
  expect(await lines('gateway_tokens_total')).toEqual([
    'gateway_tokens_total{provider="openai",model="small",type="input"} 150',
    'gateway_tokens_total{provider="openai",model="small",type="output"} 20',
    'gateway_tokens_total{provider="mistral",model="embed",type="input"} 100',
    'gateway_tokens_total{provider="mistral",model="embed",type="output"} 20',
  ]);
  expect(await lines('gateway_cached_tokens_total')).toEqual([
    'gateway_cached_tokens_total{provider="openai",model="small"} 40',
  ]);
  expect(await lines('gateway_cache_write_tokens_total')).toEqual([
    'gateway_cache_write_tokens_total{provider="openai",model="small"} 5',
  ]);
  expect(await lines('gateway_request_cost_dollars')).toEqual([
    'gateway_request_cost_dollars_sum{provider="openai",model="small"} 0.003',
    'gateway_request_cost_dollars_count{provider="openai",model="small"} 2',
  ]);
  expect(await lines('gateway_request_duration_seconds_sum')).toEqual([
    'gateway_request_duration_seconds_sum{method="POST",endpoint="/v1/chat/completions"} 0.261',
    'gateway_request_duration_seconds_sum{method="POST",endpoint="/v1/embeddings"} 0.1305',
  ]);
  expect(await lines('gateway_time_to_first_byte_seconds_count')).toHaveLength(2);
  expect(await lines('gateway_active_requests')).toEqual(['gateway_active_requests 3']);
});

test('counts attempts by outcome, retries and fallbacks', async () => {
  const { telemetry, lines } = open();
  const failed = { outcome: 'failed', failure: 'provider_error', upstreamStatus: 500 } as const;
  telemetry.completed(
    completion({
      attempts: [
        attempt({ ...failed, number: 1 }),
        attempt({ ...failed, number: 2 }),
        attempt({ target: 'groq:large', number: 3, outcome: 'skipped', failure: 'breaker_open' }),
        attempt({ target: 'anthropic:big', number: 4 }),
      ],
    }),
  );
  telemetry.completed(completion());
  expect(await lines('gateway_attempts_total')).toEqual([
    'gateway_attempts_total{provider="openai",outcome="provider_error"} 2',
    'gateway_attempts_total{provider="groq",outcome="breaker_open"} 1',
    'gateway_attempts_total{provider="anthropic",outcome="answered"} 1',
    'gateway_attempts_total{provider="openai",outcome="answered"} 1',
  ]);
  expect(await lines('gateway_retries_total')).toEqual(['gateway_retries_total{provider="openai"} 1']);
  expect(await lines('gateway_fallbacks_total')).toEqual(['gateway_fallbacks_total 1']);
});

test('counts rejected requests', async () => {
  const { telemetry, lines } = open();
  const refused = {
    usage: undefined,
    cost: undefined,
    attempts: [],
    model: undefined,
    firstByteMs: undefined,
  };
  telemetry.completed(completion({ ...refused, status: 429, reason: 'rate_limited' }));
  telemetry.completed(completion({ ...refused, status: 403, reason: 'budget_exceeded' }));
  telemetry.completed(completion({ ...refused, status: 403, reason: 'estimate_exceeds_budget' }));
  telemetry.completed(completion({ ...refused, status: 429, reason: 'budget_reserved' }));
  for (const reason of ['missing_credentials', 'expired_key', 'something of a caller']) {
    telemetry.authFailed(reason);
  }
  expect(await lines('gateway_rate_limit_hits_total')).toEqual(['gateway_rate_limit_hits_total 1']);
  expect(await lines('gateway_budget_exceeded_total')).toEqual(['gateway_budget_exceeded_total 2']);
  expect(await lines('gateway_budget_reserved_total')).toEqual(['gateway_budget_reserved_total 1']);
  expect(await lines('gateway_auth_failures_total')).toEqual([
    'gateway_auth_failures_total{reason="missing_credentials"} 1',
    'gateway_auth_failures_total{reason="expired_key"} 1',
    'gateway_auth_failures_total{reason="other"} 1',
  ]);
  expect(await lines('gateway_tokens_total')).toEqual([]);
});

test('beyond the first 100, unknown model names share one label, so that clients cannot create any number of metrics', async () => {
  const { telemetry, lines } = open();
  for (let index = 0; index < 300; index += 1) {
    telemetry.completed(completion({ model: `openai:made-up-${index}`, cost: undefined }));
  }
  // Models with a price are configured by the gateway's operator.
  telemetry.completed(completion({ model: 'openai:known' }));
  const series = await lines('gateway_tokens_total');
  expect(series).toHaveLength(2 * (100 + 1 + 1));
  expect(series).toContain('gateway_tokens_total{provider="openai",model="other",type="input"} 20000');
  expect(series).toContain('gateway_tokens_total{provider="openai",model="known",type="input"} 100');
});

test('requests on all routes are counted by route', async () => {
  const kernel = testKernel();
  const { lines } = open(kernel.metrics);
  expect(await lines('gateway_requests_total')).toEqual([]);
  const observe = createRequestObserver(kernel, new Set());
  const request = { requestId: '1', caller: undefined, method: 'GET', milliseconds: 3 };
  observe({ ...request, path: '/v1/users/ada', route: '/v1/users/:id', status: 200 });
  observe({ ...request, path: '/v1/users/bob', route: '/v1/users/:id', status: 200 });
  observe({ ...request, path: '/nowhere', route: 'none', status: 404 });
  expect(await lines('gateway_requests_total')).toEqual([
    'gateway_requests_total{method="GET",endpoint="/v1/users/:id",status="200"} 2',
    'gateway_requests_total{method="GET",endpoint="none",status="404"} 1',
  ]);
  // The values are read twice and stay the same.
  expect(await lines('gateway_requests_total')).toHaveLength(2);
});

test('an invalid event is logged, not thrown', () => {
  const errors: unknown[] = [];
  const telemetry = createTelemetry({
    metrics: new Registry(),
    tracing: undefined,
    clock: systemClock,
    version: '1.0.0',
    activeRequests: () => 0,
    onError: (error) => errors.push(error),
  });
  telemetry.completed(completion({ durationMs: Number.NaN }));
  expect(errors).toHaveLength(1);
});

test('counts abandoned responses and usage without a request', async () => {
  const { telemetry, lines } = open();
  const used = { usage: tokens(7, 3), cost: 2_000_000n };
  const nothing = { usage: undefined, cost: undefined, unpriced: false } as const;
  telemetry.abandoned({ ...used, model: 'openai:small', outcome: 'read', unpriced: false });
  telemetry.abandoned({
    ...used,
    cost: undefined,
    model: 'openai:new',
    outcome: 'estimated',
    unpriced: true,
  });
  telemetry.abandoned({ ...nothing, model: 'mistral:small', outcome: 'failed' });
  expect(await lines('gateway_abandoned_answers_total')).toEqual([
    'gateway_abandoned_answers_total{provider="openai",outcome="read"} 1',
    'gateway_abandoned_answers_total{provider="openai",outcome="estimated"} 1',
    'gateway_abandoned_answers_total{provider="mistral",outcome="failed"} 1',
  ]);
  expect(await lines('gateway_request_cost_dollars_sum')).toEqual([
    'gateway_request_cost_dollars_sum{provider="openai",model="small"} 0.002',
  ]);
  expect(await lines('gateway_unpriced_requests_total')).toEqual([
    'gateway_unpriced_requests_total{provider="openai",model="new"} 1',
  ]);
  expect(await lines('gateway_tokens_total{provider="openai",model="small",type="input"}')).toEqual([
    'gateway_tokens_total{provider="openai",model="small",type="input"} 7',
  ]);
});
