import { Metadata } from '@grpc/grpc-js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect } from 'vitest';
import { builtExecutable } from '../helpers/built.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { type Collector, startCollector } from '../runtime/serve/telemetry/collector.ts';
import { clientOf } from './grpc-call.ts';
import { post } from './http-client.ts';
import type { Served, ServingArm } from './serving.ts';
import { traceParent, treeOf } from './span-tree.ts';
import { verifiesOnce, verifiesServed } from './verifies.ts';

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

  await post(`${url}/predict`, { inputs }, { traceparent: traceParent(1), tracestate: 'vendor=1' });
  // Neither of these is sampled: the client decides for one, and the sampling share for the other.
  await post(`${url}/predict`, { inputs }, { traceparent: traceParent(9, '00') });
  await post(`${url}/predict`, { inputs });
  await fetch(`${url}/healthz`, { headers: { traceparent: traceParent(8) } });

  const client = clientOf('encoder.SequenceClassification', served.grpcPort);
  const metadata = new Metadata();
  metadata.set('traceparent', traceParent(2));
  await new Promise<void>((resolve, reject) => {
    client['Predict']?.({ inputs }, metadata, (error: Error | null) => (error ? reject(error) : resolve()));
  });
  client.close();

  const mcp = new Client({ name: 'test', version: '1' });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  await mcp.callTool({ name: 'run_encoder', arguments: { inputs }, _meta: { traceparent: traceParent(3) } });
  await mcp.close();

  open.pop();
  await served.stop();
  expect(collector.problems).toEqual([]);
  expect(collector.resources[0]).toMatchObject({ 'service.name': 'moods' });
  const spans = collector.requests.flatMap((request) => request.spans);
  const steps = ['tokenize', 'queue', 'inference'].map((name) => ({ name, kind: 1 }));
  expect(treeOf(spans, 1)).toEqual([{ name: 'POST /predict', kind: 2, children: steps }]);
  expect(treeOf(spans, 2)).toEqual([
    { name: 'encoder.SequenceClassification/Predict', kind: 2, children: steps },
  ]);
  expect(treeOf(spans, 3)).toEqual([{ name: 'tools/call run_encoder', kind: 2, children: steps }]);
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

verifiesOnce('mcp:traces', async () => {
  const collector = await startCollector();
  open.push(collector.close);
  const client = new Client({ name: 'test', version: '1' });
  open.push(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: builtExecutable('sentiment'),
      args: ['mcp'],
      env: {
        ENCODERFILE_CACHE_DIR: TEST_CACHE,
        OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.endpoint).origin,
      },
      stderr: 'ignore',
    }),
  );
  const call = { name: 'run_encoder', arguments: { inputs: ['I love this'] } };
  await client.callTool({ ...call, _meta: { traceparent: traceParent(1) } });
  await client.callTool({ ...call, _meta: { traceparent: traceParent(2, '00') } });
  await client.close();
  await collector.received(1);
  expect(collector.problems).toEqual([]);
  const spans = collector.requests.flatMap((request) => request.spans);
  const steps = ['tokenize', 'queue', 'inference'].map((name) => ({ name, kind: 1 }));
  expect(treeOf(spans, 1)).toEqual([{ name: 'tools/call run_encoder', kind: 2, children: steps }]);
  expect(treeOf(spans, 2)).toEqual([]);
});
