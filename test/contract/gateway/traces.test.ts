import { afterEach, expect } from 'vitest';
import { builtExecutable } from '../../helpers/built.ts';
import { startCollector } from '../../runtime/serve/telemetry/collector.ts';
import { traceParent, treeOf } from '../span-tree.ts';
import { createKey } from './chat.ts';
import { asKey } from './config.ts';
import { useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = useGateways();
const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

verifiesGateway('gateway-process:traces', async (arm) => {
  const collector = await startCollector();
  open.push(collector.close);
  const api = await start(arm, {
    config: {
      encoders: { mood: { path: builtExecutable('sentiment') } },
      otel: { endpoint: collector.endpoint, headers: { 'x-collector-key': 'a, b=c' }, sampled: 0 },
    },
  });
  const key = asKey(await createKey(api));
  const body = { model: 'encoder:mood', input: 'I love this.' };
  const answer = await api.post('/v1/classify', body, { ...key, traceparent: traceParent(1) });
  expect(answer.status, answer.text).toBe(200);
  expect((await api.post('/v1/classify', body, key)).status).toBe(200);
  await api.stop();

  expect(collector.problems).toEqual([]);
  expect(new Set(collector.requests.map(({ headers }) => headers['x-collector-key']))).toEqual(
    new Set(['a, b=c']),
  );
  const names = collector.resources.map((resource) => resource['service.name']);
  expect(new Set(names)).toEqual(new Set(['gateway', 'encoder']));
  const spans = collector.requests.flatMap((request) => request.spans);
  const steps = ['tokenize', 'queue', 'inference'].map((name) => ({ name, kind: 1 }));
  const [request, ...others] = treeOf(spans, 1);
  expect(others).toEqual([]);
  expect(request).toMatchObject({ name: 'POST /v1/classify', kind: 2 });
  // Not sorted by start time, because two processes have two clocks.
  expect(new Set(request?.children)).toEqual(
    new Set([
      { name: 'classify mood', kind: 3 },
      { name: 'POST /predict', kind: 2, children: steps },
    ]),
  );
  expect(spans).toHaveLength(6);
});
