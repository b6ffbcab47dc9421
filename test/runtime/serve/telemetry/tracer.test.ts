import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTracer } from '#serve/telemetry/create-tracer.ts';
import { httpOutcome } from '#serve/http/observe.ts';
import { answerTraced } from '#serve/telemetry/mcp-request.ts';
import type { OtlpSpan } from '#serve/telemetry/otlp.ts';
import type { Tracer } from '#serve/telemetry/tracer.ts';
import { RpcError } from '#serve/mcp/rpc-error.ts';
import { type HandClock, handClock } from '../../../helpers/hand-clock.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';
const NOW = 1_772_366_400_000;
const parent = (flags: string): Headers =>
  new Headers({ traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-${flags}`, tracestate: 'vendor=1' });

function trace(sampled = 1): { tracer: Tracer; clock: HandClock; spans: OtlpSpan[] } {
  const clock = handClock(NOW);
  const spans: OtlpSpan[] = [];
  const queue = {
    add: ({ count, create }: { count: number; create: () => readonly OtlpSpan[] }) => {
      const created = create();
      expect(created).toHaveLength(count);
      spans.push(...created);
    },
    close: () => Promise.resolve(),
  };
  return { tracer: createTracer({ queue, clock, sampled }), clock, spans };
}

test("a request's span continues its client's trace and is the parent of the spans for calls", async () => {
  const { tracer, clock, spans } = trace();
  const server = tracer.startServer(parent('01'));
  await server.run(async () => {
    await setImmediate();
    const client = tracer.startClient();
    expect(client?.trace.headers).toEqual({
      traceparent: `00-${TRACE_ID}-${client?.trace.spanId}-01`,
      tracestate: 'vendor=1',
    });
    clock.pass(10);
    client?.end({ name: 'call', attributes: { 'server.name': 'echo' }, error: 'timeout' });
  });
  clock.pass(5);
  server.end({ name: 'request', attributes: {} });
  expect(spans).toEqual([
    expect.objectContaining({
      traceId: TRACE_ID,
      parentSpanId: server.trace.spanId,
      name: 'call',
      kind: 3,
      attributes: [{ key: 'server.name', value: { stringValue: 'echo' } }],
      status: { code: 2, message: 'timeout' },
    }),
    expect.objectContaining({
      traceId: TRACE_ID,
      spanId: server.trace.spanId,
      parentSpanId: CLIENT_SPAN,
      name: 'request',
      kind: 2,
      startTimeUnixNano: `${NOW}000000`,
      endTimeUnixNano: `${NOW + 15}000000`,
      status: {},
    }),
  ]);
});

test('calls and steps outside a request create no spans', () => {
  const { tracer, spans } = trace();
  expect(tracer.startClient()).toBeUndefined();
  tracer.recordSteps([{ name: 'step', startedAgo: 1, endedAgo: 0 }]);
  expect(spans).toEqual([]);
});

test('overlapping steps of a request have spans with their own start and end times', () => {
  const { tracer, spans } = trace();
  const server = tracer.startServer(new Headers());
  server.run(() =>
    tracer.recordSteps([
      { name: 'first', startedAgo: 5.5, endedAgo: 0.5 },
      { name: 'second', startedAgo: 1.5, endedAgo: 0, attributes: { count: 2 } },
    ]),
  );
  const { spanId: parentSpanId, traceId } = server.trace;
  expect(spans).toMatchObject([
    { traceId, parentSpanId, name: 'first', kind: 1, endTimeUnixNano: `${NOW - 1}500000` },
    {
      traceId,
      parentSpanId,
      name: 'second',
      startTimeUnixNano: `${NOW - 2}500000`,
      endTimeUnixNano: `${NOW}000000`,
    },
  ]);
  expect(spans[0]?.startTimeUnixNano).toBe(`${NOW - 6}500000`);
});

test('work that continues after its request creates no spans', async () => {
  const { tracer } = trace();
  const server = tracer.startServer(new Headers());
  const late = server.run(() =>
    tracer.runOutside(async () => {
      await setImmediate();
      return tracer.startClient();
    }),
  );
  expect(await late).toBeUndefined();
});

test('an unsampled trace is propagated, but not recorded', () => {
  const { tracer, spans } = trace();
  const server = tracer.startServer(parent('00'));
  server.run(() => {
    tracer.recordSteps([{ name: 'step', startedAgo: 1, endedAgo: 0 }]);
    const client = tracer.startClient();
    expect(client?.trace.headers['traceparent']).toMatch(/-00$/);
    client?.end({ name: 'call', attributes: {} });
  });
  server.end({ name: 'request', attributes: {} });
  expect(spans).toEqual([]);
  expect(trace(0).tracer.startServer(new Headers()).trace.sampled).toBe(false);
});

test('an MCP request is a child of the HTTP request, unless its `_meta` contains a trace', async () => {
  const { tracer, spans } = trace();
  const outer = tracer.startServer(new Headers());
  const call = (params: Record<string, unknown>, method = 'tools/call') =>
    outer.run(() => answerTraced(tracer, { method, params }, () => Promise.resolve({ isError: true })));
  await call({ name: 'echo' });
  await call({ name: 'echo', _meta: { traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-01` } });
  await call({ name: 'echo', _meta: { traceparent: 42 } }, 'tools/list');
  expect(spans).toMatchObject([
    { name: 'tools/call echo', parentSpanId: outer.trace.spanId, status: { message: 'tool_error' } },
    { name: 'tools/call echo', parentSpanId: CLIENT_SPAN, traceId: TRACE_ID },
    { name: 'tools/list', parentSpanId: outer.trace.spanId },
  ]);
});

test("an MCP request's error code is recorded in its span", async () => {
  const { tracer, spans } = trace();
  const failing = answerTraced(tracer, { method: 'prompts/get', params: { name: 'x'.repeat(500) } }, () =>
    Promise.reject(new RpcError(-32_602, 'Unknown prompt.')),
  );
  await expect(failing).rejects.toThrow('Unknown prompt.');
  expect(spans).toMatchObject([
    { name: `prompts/get ${'x'.repeat(128)}`, status: { code: 2, message: '-32602' } },
  ]);
});

test('spans name unknown MCP methods _OTHER, and truncate long paths', async () => {
  const { tracer, spans } = trace();
  const long = 'x'.repeat(100_000);
  await answerTraced(tracer, { method: long, params: {} }, () => Promise.resolve(1));
  expect(spans).toMatchObject([
    { name: '_OTHER', attributes: [{ key: 'mcp.method.name', value: { stringValue: '_OTHER' } }] },
  ]);
  const request = { requestId: 'r', method: 'GET', path: `/${long}`, route: 'none', status: 404 };
  expect(httpOutcome(request).attributes['url.path']).toBe(`/${'x'.repeat(255)}`);
});

test('without a tracer, requests are handled as usual', async () => {
  const answer = answerTraced(undefined, { method: 'tools/list', params: {} }, () => Promise.resolve(1));
  expect(await answer).toBe(1);
});
