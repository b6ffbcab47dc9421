import { Metadata } from '@grpc/grpc-js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect } from 'vitest';
import { type CollectedSpan, type Collector, startCollector } from '../runtime/serve/telemetry/collector.ts';
import { clientOf } from './grpc-call.ts';
import { post } from './http-client.ts';
import type { Served, ServingArm } from './serving.ts';
import { verifiesServed } from './verifies.ts';

const CLIENT_SPAN = '00f067aa0ba902b7';
const traceId = (digit: number): string => String(digit).repeat(32);
const parent = (digit: number, flags = '01'): string => `00-${traceId(digit)}-${CLIENT_SPAN}-${flags}`;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** A server that sends its spans to a collector. */
async function traced(arm: ServingArm): Promise<{ served: Served; collector: Collector }> {
  const collector = await startCollector();
  open.push(collector.close);
  const served = await arm.serve('sentiment', [
    '--otel-endpoint',
    collector.endpoint,
    '--otel-sampled',
    '0',
    '--otel-service-name',
    'moods',
  ]);
  open.push(() => served.stop());
  return { served, collector };
}

verifiesServed('serve:traces', async (arm) => {
  const { served, collector } = await traced(arm);
  const url = `http://127.0.0.1:${served.httpPort}`;
  const inputs = ['I love this', 'I hate this'];

  await post(`${url}/predict`, { inputs }, { traceparent: parent(1), tracestate: 'vendor=1' });
  // Neither of these is sampled: the client decides, and without a decision the share does.
  await post(`${url}/predict`, { inputs }, { traceparent: parent(9, '00') });
  await post(`${url}/predict`, { inputs });
  await fetch(`${url}/healthz`, { headers: { traceparent: parent(8) } });

  const client = clientOf('encoder.SequenceClassification', served.grpcPort);
  const metadata = new Metadata();
  metadata.set('traceparent', parent(2));
  await new Promise<void>((resolve, reject) => {
    client['Predict']?.({ inputs }, metadata, (error: Error | null) => (error ? reject(error) : resolve()));
  });
  client.close();

  const mcp = new Client({ name: 'test', version: '1' });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  await mcp.callTool({ name: 'run_encoder', arguments: { inputs }, _meta: { traceparent: parent(3) } });
  await mcp.close();

  open.pop();
  await served.stop();
  expect(collector.problems).toEqual([]);
  expect(collector.resources[0]).toMatchObject({ 'service.name': 'moods' });
  const spans = collector.requests.flatMap((request) => request.spans);
  const tree = (digit: number): unknown => treeOf(spans.filter((span) => span.traceId === traceId(digit)));
  const steps = ['tokenize', 'queue', 'inference'].map((name) => ({ name, kind: 1 }));
  expect(tree(1)).toEqual([{ name: 'POST /predict', kind: 2, children: steps }]);
  expect(tree(2)).toEqual([{ name: 'encoder.SequenceClassification/Predict', kind: 2, children: steps }]);
  expect(tree(3)).toEqual([{ name: 'tools/call run_encoder', kind: 2, children: steps }]);
  expect(spans).toHaveLength(12);

  const attributes = (name: string) => spans.find((span) => span.name === name)?.attributes;
  expect(attributes('POST /predict')).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/predict',
    'http.response.status_code': 200,
  });
  expect(attributes('encoder.SequenceClassification/Predict')).toMatchObject({ 'rpc.grpc.status_code': 0 });
  expect(attributes('tools/call run_encoder')).toMatchObject({ 'mcp.method.name': 'tools/call' });
  expect(attributes('tokenize')).toEqual({ 'encoder.inputs': 2 });
  expect(JSON.stringify(spans)).not.toContain('I love this');
});

/** Spans below their parents, in the order of their starts; those of the client's span are at the top. */
function treeOf(spans: readonly CollectedSpan[], parentId = CLIENT_SPAN): unknown[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parentId)
    .toSorted((one, other) => Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)))
    .map(({ name, kind, spanId }) => {
      const children = treeOf(spans, spanId);
      return { name, kind, ...(children.length > 0 ? { children } : {}) };
    });
}
