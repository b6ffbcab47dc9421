import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { durationHistogram } from '#serve/durations.ts';

const OPTIONS = {
  name: 'request_duration_seconds',
  help: 'Duration of requests.',
  labelNames: ['method', 'status'] as const,
};
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

test('the metrics are the same as those of prom-client, for values on, between and beyond the bounds', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const histogram = durationHistogram(ours, OPTIONS);
  const expected = new Histogram({
    ...OPTIONS,
    labelNames: [...OPTIONS.labelNames],
    buckets: BUCKETS,
    registers: [theirs],
  });
  expect(await ours.metrics()).toBe(await theirs.metrics());
  for (const seconds of [0, 0.001, 0.0011, 0.25, 3, 30, 30.1, 1000]) {
    for (const labels of [
      { method: 'GET', status: 200 },
      { method: 'POST "x"\n\\', status: 404 },
    ]) {
      histogram.observe(labels, seconds);
      expected.observe(labels, seconds);
    }
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());

  histogram.remove({ method: 'GET', status: 200 });
  expected.remove({ method: 'GET', status: 200 });
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test('servers with the same registry share a histogram', async () => {
  const registry = new Registry();
  durationHistogram(registry, OPTIONS).observe({ method: 'GET', status: 200 }, 1);
  durationHistogram(registry, OPTIONS).observe({ method: 'GET', status: 200 }, 2);
  expect(await registry.metrics()).toContain('request_duration_seconds_sum{method="GET",status="200"} 3');
});

test('label values with separators are not confused', async () => {
  const registry = new Registry();
  const histogram = durationHistogram(registry, OPTIONS);
  histogram.observe({ method: 'a\nb', status: 'c' }, 1);
  histogram.observe({ method: 'a', status: 'b\nc' }, 1);
  expect((await registry.metrics()).match(/_count\{/g)).toHaveLength(2);
});
