import { expect, test } from 'vitest';
import { createCloserStack } from '#serve/program/closer-stack.ts';
import { createLifecycle } from '#serve/lifecycle.ts';
import { createShutdown } from '#serve/program/shutdown.ts';
import { systemClock } from '#platform/clock.ts';

function server(drainMs: number, closeMs: number, delayMs?: number) {
  const lifecycle = createLifecycle();
  const closers = createCloserStack();
  const events: string[] = [];
  lifecycle.ready();
  const shutdown = createShutdown({
    program: 'gateway',
    lifecycle,
    closers,
    clock: systemClock,
    delayMs,
    drainMs,
    closeMs,
    beforeDrain: () => Promise.resolve(void events.push(`before drain: ${lifecycle.phase()}`)),
  });
  closers.add(() => Promise.resolve(void events.push('closed')));
  return { lifecycle, events, shutdown };
}

test('requests that finish in time are not aborted, and closers run as soon as all requests finish', async () => {
  const { lifecycle, events, shutdown } = server(60_000, 2000);
  const leave = lifecycle.enter(() => events.push('cut'));
  const over = shutdown.run();
  await expect.poll(lifecycle.phase).toBe('draining');
  expect(() => lifecycle.enter()).toThrow('shutting down');
  expect(shutdown.graceMs()).toBeGreaterThan(60_000);
  leave();
  await over;
  expect(events).toEqual(['before drain: ready', 'closed']);
});

test('requests that exceed the timeout are aborted with a reason, and have time to send it', async () => {
  const { lifecycle, events, shutdown } = server(20, 60_000);
  const leave = lifecycle.enter(({ message, reason }) => {
    events.push(`${reason}: ${message}`);
    setTimeout(() => {
      events.push('reported');
      leave();
    }, 20);
  });
  await shutdown.run();
  expect(events.slice(1)).toEqual([
    'shutting_down: The gateway is shutting down and could not wait for this response to complete.',
    'reported',
    'closed',
  ]);
});

test('a request that does not finish after it was aborted does not delay shutdown further', async () => {
  const { lifecycle, events, shutdown } = server(20, 40);
  lifecycle.enter();
  await shutdown.run();
  expect(events.at(-1)).toBe('closed');
  expect(shutdown.graceMs()).toBeLessThanOrEqual(40);
});

test('before shutdown starts, connections have the full timeout', () => {
  expect(server(60_000, 2000).shutdown.graceMs()).toBe(2000);
});

test('during the shutdown delay, the server is not ready, but still admits requests', async () => {
  const { lifecycle, events, shutdown } = server(60_000, 2000, 200);
  const over = shutdown.run();
  expect(lifecycle.phase()).toBe('stopping');
  const leave = lifecycle.enter();
  expect(events).toEqual([]);
  await expect.poll(lifecycle.phase).toBe('draining');
  expect(() => lifecycle.enter()).toThrow('shutting down');
  leave();
  await over;
  expect(events).toEqual(['before drain: stopping', 'closed']);
});
