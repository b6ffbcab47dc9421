import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect } from 'vitest';
import { builtAssets } from '../../helpers/built.ts';
import { type Collector, startCollector } from '../../runtime/serve/telemetry/collector.ts';
import { serveAssets } from '../serving.ts';
import { type SpanTree, traceParent, treeOf } from '../span-tree.ts';
import { ECHO } from './config.ts';
import { useManagers } from './shared-managers.ts';
import { verifiesManaged } from './verifies.ts';

const start = useManagers();
const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** Only requests whose client requests it are traced. */
const flagsFor = ({ endpoint }: Collector): string[] => ['--otel-endpoint', endpoint, '--otel-sampled', '0'];

verifiesManaged('manager:traces', async (arm) => {
  const collector = await startCollector();
  open.push(collector.close);
  const model = await serveAssets(builtAssets('sentiment'), flagsFor(collector));
  open.push(() => model.stop());
  const remote = `[[servers]]\nname = "model"\nurl = "http://127.0.0.1:${model.httpPort}/mcp"\ntools = ["*"]\n`;
  const manager = await start(arm, { config: `${ECHO}\n${remote}` }, flagsFor(collector));

  const headers = { traceparent: traceParent(1), tracestate: 'vendor=1' };
  const answer = await manager.post('/api/v1/servers/model/tools/run_encoder', { inputs: ['Fine'] }, headers);
  expect(answer.status).toBe(200);

  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${manager.url}/mcp`)));
  const _meta = { traceparent: traceParent(2), tracestate: 'vendor=2', own: 'kept' };
  const { content } = await client.callTool({ name: 'echo__meta', arguments: {}, _meta });
  await client.close();

  await manager.stop();
  await model.stop();
  open.splice(1);
  expect(collector.problems).toEqual([]);
  const spans = collector.requests.flatMap((request) => request.spans);
  const steps = ['tokenize', 'queue', 'inference'].map((name): SpanTree => ({ name, kind: 1 }));
  const name = 'tools/call run_encoder';
  const [request] = treeOf(spans, 1);
  expect(request).toMatchObject({ name: expect.stringMatching(/^POST .*\/tools\//), kind: 2 });
  // The model executable receives the trace context twice: in headers and in `_meta`.
  expect(request?.children).toEqual([
    {
      name,
      kind: 3,
      children: [
        { name: 'POST /mcp', kind: 2 },
        { name, kind: 2, children: steps },
      ],
    },
  ]);
  const calls = [{ name: 'tools/call meta', kind: 3 }];
  expect(treeOf(spans, 2)).toEqual([{ name: 'tools/call echo__meta', kind: 2, children: calls }]);

  const call = spans.find((span) => span.name === 'tools/call meta');
  expect(call?.attributes).toEqual({
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'meta',
    'mcp_manager.server': 'echo',
  });
  const [text] = content as { text: string }[];
  expect(JSON.parse(text?.text ?? '')).toEqual({
    own: 'kept',
    tracestate: 'vendor=2',
    traceparent: `00-${call?.traceId}-${call?.spanId}-01`,
  });
  expect(JSON.stringify(spans)).not.toContain('Fine');
});
