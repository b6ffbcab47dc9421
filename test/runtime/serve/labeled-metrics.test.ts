import { Counter, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { LabeledCounter } from '#serve/labeled-metrics.ts';

test('counters are read as those of prom-client, with and without labels', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const tokens = { name: 'tokens_total', help: 'Tokens.', labelNames: ['model', 'type'] as const };
  const rejected = { name: 'rejected_total', help: 'Rejected requests.', labelNames: [] as const };
  const counters = [new LabeledCounter(ours, tokens), new LabeledCounter(ours, rejected)] as const;
  const expected = [
    new Counter({ ...tokens, labelNames: [...tokens.labelNames], registers: [theirs] }),
    new Counter({ ...rejected, labelNames: [], registers: [theirs] }),
  ] as const;
  expect(await ours.metrics()).toBe(await theirs.metrics());
  for (const [one, other] of [counters, expected]) {
    one.inc({ model: 'a:b "x"\n', type: 'input' }, 12);
    one.inc({ model: 'a:b "x"\n', type: 'input' });
    one.inc({ model: 'a', type: 'output' }, 3);
    other.inc();
    other.inc();
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test('members that are not labels are not published', async () => {
  const registry = new Registry();
  const counter = new LabeledCounter(registry, {
    name: 'calls_total',
    help: 'Calls.',
    labelNames: ['model'],
  });
  const labels = { model: 'm', secret: 's' };
  counter.inc(labels);
  expect(await registry.metrics()).toContain('calls_total{model="m"} 1');
});

test('removes the values with some labels, whatever the others are', async () => {
  const registry = new Registry();
  const options = { name: 'calls_total', help: 'Calls.', labelNames: ['server', 'outcome'] as const };
  const counter = new LabeledCounter(registry, options);
  for (const server of ['a', 'b']) for (const outcome of ['ok', 'failed']) counter.inc({ server, outcome });
  counter.remove({ server: 'a' });
  counter.remove({ server: 'b', outcome: 'ok' });
  counter.remove({ server: 'c' });
  const text = await registry.metrics();
  expect(text.match(/^calls_total.*$/gm)).toEqual(['calls_total{server="b",outcome="failed"} 1']);
});
