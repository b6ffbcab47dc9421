import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { OtlpSpan } from '#serve/telemetry/otlp.ts';
import { createSpanQueue, type SpanQueue } from '#serve/telemetry/span-queue.ts';
import { createSpanSender } from '#serve/telemetry/span-sender.ts';
import { handClock } from '../../../helpers/hand-clock.ts';
import { closedPort } from './closed-port.ts';
import { startCollector } from './collector.ts';

const SOURCE = { serviceName: 'test', scope: 'test', version: '1' };
const SPAN: OtlpSpan = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  name: 'test',
  kind: 2,
  startTimeUnixNano: '1772366400000000000',
  endTimeUnixNano: '1772366400000000000',
  attributes: [],
  status: {},
};
const tooLong = (): never => {
  throw new RangeError('Invalid string length');
};

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

function queueFor(endpoint: string) {
  const clock = handClock();
  const counted = { sent: 0, dropped: 0 };
  const errors: unknown[] = [];
  const queue: SpanQueue = createSpanQueue({
    sender: createSpanSender({ endpoint, headers: {} }, SOURCE, clock),
    clock,
    onSent: (count) => void (counted.sent += count),
    onDropped: (count) => void (counted.dropped += count),
    onError: (error) => errors.push(error),
  });
  return { queue, clock, counted, errors };
}

test.each<[string, () => OtlpSpan]>([
  ['created', tooLong],
  [
    'encoded',
    () => ({
      ...SPAN,
      get name() {
        return tooLong();
      },
    }),
  ],
])('spans that cannot be %s are counted as dropped, and do not block later spans', async (_, create) => {
  const collector = await startCollector();
  open.push(collector.close);
  const { queue, clock, counted, errors } = queueFor(collector.endpoint);
  queue.add({ count: 2, create: () => [SPAN, create()] });
  clock.pass(2000);
  while (counted.dropped === 0) await setImmediate();
  queue.add({ count: 1, create: () => [SPAN] });
  await queue.close();
  expect(counted).toEqual({ sent: 1, dropped: 2 });
  expect(errors).toHaveLength(1);
});

test('closing a queue does not wait for an unavailable collector', async () => {
  const { queue, clock, counted, errors } = queueFor(await closedPort());
  for (let at = 0; at < 600; at += 1) queue.add({ count: 1, create: () => [SPAN] });
  // The first batch has failed, and waits for its first retry.
  while (clock.waiting().length === 0) await setImmediate();
  // The clock stands still, so no time has to pass.
  await queue.close();
  expect(counted).toEqual({ sent: 0, dropped: 600 });
  expect(errors).toHaveLength(1);
});

test('closing a queue stops waiting for the collector at the timeout', async () => {
  const collector = await startCollector({ responds: false });
  open.push(collector.close);
  const { queue, clock, counted } = queueFor(collector.endpoint);
  queue.add({ count: 1, create: () => [SPAN] });
  const closed = queue.close(300);
  await collector.received(1);
  expect(clock.waiting()).toEqual([300]);
  clock.pass(300);
  await closed;
  expect(counted).toEqual({ sent: 0, dropped: 1 });
});
