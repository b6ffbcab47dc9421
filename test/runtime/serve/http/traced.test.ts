import { expect, test } from 'vitest';
import { httpShell } from '#serve/http/shell.ts';
import { createTracer } from '#serve/telemetry/create-tracer.ts';
import type { OtlpSpan } from '#serve/telemetry/otlp.ts';
import { handClock } from '../../../helpers/hand-clock.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';

test('requests have spans, except on polled paths', async () => {
  const spans: OtlpSpan[] = [];
  const queue = {
    add: ({ create }: { create: () => readonly OtlpSpan[] }) => void spans.push(...create()),
    close: () => Promise.resolve(),
  };
  const tracer = createTracer({ queue, clock: handClock(), sampled: 1 });
  const app = httpShell({ ...testKernel(), tracer });
  app.get('/items/:id', (c) => {
    tracer.recordSteps([{ name: 'step', startedAgo: 1, endedAgo: 0 }]);
    return c.json({});
  });
  app.get('/fails', () => {
    throw new Error('unexpected');
  });
  for (const path of ['/items/1', '/fails', '/nowhere', '/healthz', '/readyz', '/metrics'])
    await app.request(path);
  const [step, item, failed, missing, ...others] = spans;
  expect(others).toEqual([]);
  expect(step).toMatchObject({ name: 'step', parentSpanId: item?.spanId });
  expect([item, failed, missing]).toMatchObject([
    { name: 'GET /items/:id', kind: 2, status: {} },
    { name: 'GET /fails', status: { code: 2, message: '500' } },
    { name: 'GET', status: {} },
  ]);
});
