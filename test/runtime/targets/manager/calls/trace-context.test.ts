import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createTracer } from '#serve/telemetry/create-tracer.ts';
import type { OtlpSpan } from '#serve/telemetry/otlp.ts';
import type { ServerSpec } from '#manager/config/spec.ts';
import { serverSpec } from '../server-spec.ts';
import { remoteLaunch, startRemote } from '../upstream/remote-fixture.ts';
import { callOf, useManager } from '../use-manager.ts';

const manage = useManager();
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const PARENT = `00-${TRACE}`;
const CONFIGURED = 'configured';
const TRANSPORTS = [
  ['http', '/mcp', '/mcp'],
  ['sse', '/sse', '/messages'],
] as const;

function remoteSpec(url: string, transport: 'http' | 'sse' = 'http'): ServerSpec {
  const launch = remoteLaunch(url, { transport, headers: { tracestate: CONFIGURED } });
  return { ...serverSpec('remote', 'echo'), launch };
}

function recordingTracer() {
  const spans: OtlpSpan[] = [];
  const queue = {
    add: ({ create }: { create: () => readonly OtlpSpan[] }) => void spans.push(...create()),
    close: () => Promise.resolve(),
  };
  return { tracer: createTracer({ queue, clock: systemClock, sampled: 1 }), spans };
}

test.each([
  PARENT,
  `${PARENT}\n`,
  `\r\n${PARENT}`,
  `${PARENT}\u{FEFF}`,
  `01-${TRACE}-\u0001`,
  `01-${TRACE}-日`,
  `01-${TRACE}-${'x'.repeat(70_000)}`,
])(
  'without tracing, a `traceparent` in `_meta` never becomes a header or breaks the connection (%#)',
  async (text) => {
    const remote = await startRemote('remote.mjs');
    const { calls, server } = manage([remoteSpec(`${remote.url}/mcp`)]);
    const meta = { traceparent: text, tracestate: 'a=1' };
    const result = await calls.callTool({
      ...callOf('remote', { meta }),
      tool: 'echo',
      args: { message: 'x' },
    });
    expect(result.content?.[0]?.text).toBe('x');
    expect(server('remote').status().restarts).toBe(0);
    // The server reports its requests separately from its responses.
    await expect.poll(() => remote.requests.length).toBeGreaterThan(1);
    const headers = remote.requests.map((request) => request['headers']);
    for (const received of headers) {
      expect(received).toMatchObject({ tracestate: CONFIGURED });
      expect(received).not.toHaveProperty('traceparent');
    }
  },
);

test.each(TRANSPORTS)(
  'a traced call over %s sends its span context in headers',
  async (transport, path, to) => {
    const remote = await startRemote('remote.mjs');
    const { tracer, spans } = recordingTracer();
    const { calls } = manage([remoteSpec(remote.url + path, transport)], { tracer });
    const meta = { traceparent: `01-${TRACE}-\u0001`, tracestate: 'a=1\r\nx: y' };
    const span = tracer.startServer({ get: (name) => meta[name as keyof typeof meta] });
    await span.run(() =>
      calls.callTool({ ...callOf('remote', { meta }), tool: 'echo', args: { message: 'x' } }),
    );
    const { traceId, spanId } = spans.find(({ kind }) => kind === 3) ?? {};
    // The server reports its requests separately from its responses.
    const headers = (): unknown => remote.requests.findLast((request) => request['path'] === to)?.['headers'];
    await expect.poll(headers).toMatchObject({
      traceparent: `00-${traceId}-${spanId}-01`,
      tracestate: CONFIGURED,
    });
  },
);

test("the span of a rejected call has the server's error code", async () => {
  const { tracer, spans } = recordingTracer();
  const { calls } = manage([serverSpec('echo', 'echo')], { tracer });
  const call = { ...callOf('echo'), tool: 'rpc-error', args: { code: -32_099 } };
  const span = tracer.startServer(new Headers());
  await expect(span.run(() => calls.callTool(call))).rejects.toMatchObject({ code: 'UpstreamError' });
  expect(spans).toMatchObject([{ kind: 3, status: { message: '-32099' } }]);
});
