import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import type { Telemetry } from '#gateway/requests/completions/telemetry.ts';
import { createTelemetry } from '#gateway/telemetry/create-telemetry.ts';
import { type HandClock, handClock } from '#test/helpers/hand-clock.ts';
import { type Collector, startCollector } from '../../../serve/telemetry/collector.ts';
import { attempt, completion, NOW, tokens } from './completions.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';
const SEND_EVERY_MS = 2000;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

interface Traced {
  readonly telemetry: Telemetry;
  readonly clock: HandClock;
  readonly errors: unknown[];
  readonly counted: () => Promise<Record<string, number>>;
}

function trace(endpoint: string, sampled = 1): Traced {
  const metrics = new Registry();
  const clock = handClock(NOW);
  const errors: unknown[] = [];
  const telemetry = createTelemetry({
    metrics,
    tracing: { endpoint, headers: { 'x-collector-key': 'secret' }, serviceName: 'door', sampled },
    clock,
    version: '1.2.3',
    activeRequests: () => 0,
    onError: (error) => errors.push(error),
  });
  open.push(async () => await telemetry.close());
  const counted = async (): Promise<Record<string, number>> => {
    const metric = await metrics.getSingleMetric('gateway_spans_total')?.get();
    return Object.fromEntries(metric?.values.map(({ labels, value }) => [labels['outcome'], value]) ?? []);
  };
  return { telemetry, clock, errors, counted };
}

async function collected(): Promise<Collector> {
  const collector = await startCollector();
  open.push(async () => await collector.close());
  return collector;
}

const headersOf = (headers: Record<string, string> = {}): Headers => new Headers(headers);
const parentOf = (flags: string): Headers =>
  headersOf({ traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-${flags}`, tracestate: 'vendor=1' });

test("the parent of a request's span is the client's span, and each attempt has a child span", async () => {
  const collector = await collected();
  const { telemetry, clock, counted } = trace(collector.endpoint);
  const place = telemetry.trace(parentOf('01'));
  telemetry.completed(
    completion({
      trace: place,
      usage: tokens(100, 20, { cachedTokens: 40, cacheWriteTokens: 5 }),
      attempts: [
        attempt({ outcome: 'failed', failure: 'rate_limited', upstreamStatus: 429, durationMs: 20 }),
        attempt({ number: 2, target: 'gemini:flash', startedAt: NOW + 30 }),
      ],
      model: 'gemini:flash',
    }),
  );
  clock.pass(SEND_EVERY_MS);
  await collector.received(1);
  expect(collector.problems).toEqual([]);
  expect(collector.resources).toEqual([{ 'service.name': 'door', 'service.version': '1.2.3' }]);
  expect(collector.requests[0]?.headers['x-collector-key']).toBe('secret');
  const [request, first, second] = collector.requests[0]?.spans ?? [];
  expect(request).toEqual({
    traceId: TRACE_ID,
    spanId: place?.spanId,
    parentSpanId: CLIENT_SPAN,
    name: 'POST /v1/chat/completions',
    kind: 2,
    startTimeUnixNano: `${NOW}000000`,
    endTimeUnixNano: `${NOW + 130}500000`,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'flash',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 40,
      'gen_ai.usage.cache_creation.input_tokens': 5,
      'gateway.request_id': 'request-1',
      'gateway.streamed': false,
      'gateway.attempts': 2,
      'gateway.cost_dollars': 0.0015,
      'gateway.first_byte_ms': 125,
    },
    status: {},
  });
  expect(first).toMatchObject({
    traceId: TRACE_ID,
    parentSpanId: place?.spanId,
    name: 'chat small',
    kind: 3,
    startTimeUnixNano: `${NOW + 1}000000`,
    endTimeUnixNano: `${NOW + 21}000000`,
    attributes: { 'http.response.status_code': 429, 'error.type': 'rate_limited' },
    status: { code: 2, message: 'rate_limited' },
  });
  expect(second).toMatchObject({
    name: 'chat flash',
    attributes: { 'http.request.resend_count': 1, 'gen_ai.provider.name': 'gcp.gemini' },
    status: {},
  });
  expect(new Set([request, first, second].map((span) => span?.spanId)).size).toBe(3);
  await telemetry.close();
  expect(await counted()).toEqual({ sent: 3 });
});

test('the span of a streaming attempt ends with the stream, and a failure of the stream is recorded as an error', async () => {
  const collector = await collected();
  const { telemetry, clock } = trace(collector.endpoint);
  telemetry.completed(
    completion({
      trace: telemetry.trace(headersOf()),
      streamed: true,
      reason: 'upstream_stream_incomplete',
      durationMs: 9000,
    }),
  );
  clock.pass(SEND_EVERY_MS);
  await collector.received(1);
  const [request, first] = collector.requests[0]?.spans ?? [];
  expect(request).not.toHaveProperty('parentSpanId');
  expect(request?.status).toEqual({ code: 2, message: 'upstream_stream_incomplete' });
  expect(first?.endTimeUnixNano).toBe(`${NOW + 9000}000000`);
});

test('a client error is not recorded as a server error', async () => {
  const collector = await collected();
  const { telemetry, clock } = trace(collector.endpoint);
  const nobodyAsked = {
    model: undefined,
    provider: undefined,
    usage: undefined,
    cost: undefined,
    attempts: [],
  };
  telemetry.completed(
    completion({
      ...nobodyAsked,
      trace: telemetry.trace(headersOf()),
      status: 403,
      reason: 'budget_exceeded',
    }),
  );
  clock.pass(SEND_EVERY_MS);
  await collector.received(1);
  expect(collector.requests[0]?.spans).toMatchObject([
    { status: {}, attributes: { 'error.type': 'budget_exceeded', 'http.response.status_code': 403 } },
  ]);
});

test("the client's sampling decision takes precedence over the configured share, and trace headers are forwarded", () => {
  const { telemetry } = trace('http://127.0.0.1:1/v1/traces', 0);
  expect(telemetry.trace(headersOf())).toMatchObject({ sampled: false, parentId: undefined });
  const seen = telemetry.trace(parentOf('01'));
  expect(seen).toMatchObject({ sampled: true, traceId: TRACE_ID, parentId: CLIENT_SPAN });
  expect(seen?.headers).toEqual({ traceparent: `00-${TRACE_ID}-${seen?.spanId}-01`, tracestate: 'vendor=1' });
  expect(telemetry.trace(headersOf({ traceparent: 'nonsense', tracestate: 'vendor=1' }))?.headers).toEqual({
    traceparent: expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-00$/),
  });
  const always = trace('http://127.0.0.1:1/v1/traces', 1).telemetry;
  expect(always.trace(headersOf())).toMatchObject({ sampled: true });
  expect(always.trace(parentOf('00'))).toMatchObject({ sampled: false });
});

test('unsampled traces are not sent', async () => {
  const collector = await collected();
  const { telemetry, counted } = trace(collector.endpoint, 0);
  telemetry.completed(completion({ trace: telemetry.trace(headersOf()) }));
  await telemetry.close();
  expect(collector.requests).toEqual([]);
  expect(await counted()).toEqual({});
});

test('spans are sent in batches, and immediately when a batch is full', async () => {
  const collector = await collected();
  const { telemetry, counted } = trace(collector.endpoint);
  for (let index = 0; index < 300; index += 1) {
    telemetry.completed(completion({ trace: telemetry.trace(headersOf()) }));
  }
  await collector.received(2);
  await telemetry.close();
  expect(collector.problems).toEqual([]);
  expect(collector.requests.map(({ spans }) => spans.length)).toEqual([256, 256, 88]);
  expect(await counted()).toEqual({ sent: 600 });
});

test('requests to a busy collector are retried after the delay it requests', async () => {
  const collector = await collected();
  const { telemetry, clock, errors, counted } = trace(collector.endpoint);
  collector.answers.push({ status: 503, headers: { 'retry-after': '7' } });
  telemetry.completed(completion({ trace: telemetry.trace(headersOf()) }));
  clock.pass(SEND_EVERY_MS);
  await collector.received(1);
  await expect.poll(() => clock.waiting()).toHaveLength(1);
  const [pause = 0] = clock.waiting();
  expect(pause).toBeGreaterThanOrEqual(7000);
  clock.pass(pause);
  await collector.received(2);
  await telemetry.close();
  expect(collector.requests[1]?.spans).toEqual(collector.requests[0]?.spans);
  expect(await counted()).toEqual({ sent: 2 });
  expect(errors).toEqual([]);
});

test('data rejected by a collector is counted and logged once', async () => {
  const collector = await collected();
  const { telemetry, clock, errors, counted } = trace(collector.endpoint);
  collector.answers.push(
    { status: 400 },
    { status: 401 },
    { status: 200, body: { partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } } },
  );
  for (let requests = 1; requests <= 4; requests += 1) {
    telemetry.completed(completion({ trace: telemetry.trace(headersOf()) }));
    await expect.poll(() => clock.waiting()).toEqual([SEND_EVERY_MS]);
    clock.pass(SEND_EVERY_MS);
    await collector.received(requests);
  }
  await telemetry.close();
  expect(await counted()).toEqual({ sent: 3, dropped: 5 });
  expect(errors.map(String)).toEqual(['Error: The OTLP collector returned status 400.']);
});

test('if the collector does not respond, memory stays bounded, requests continue and shutdown is not delayed', async () => {
  // The collector accepts the connection and never responds.
  const silent = createServer(() => {});
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const { telemetry, clock, counted } = trace(`http://127.0.0.1:${port}/v1/traces`);
  for (let index = 0; index < 5000; index += 1) {
    telemetry.completed(completion({ trace: telemetry.trace(headersOf()) }));
  }
  const { dropped = 0 } = await counted();
  expect(dropped).toBeGreaterThan(10_000 - 4096 - 257);
  const closed = telemetry.close();
  clock.pass(5000);
  await closed;
  expect(await counted()).toEqual({ dropped: 10_000 });
  silent.closeAllConnections();
  silent.close();
});
