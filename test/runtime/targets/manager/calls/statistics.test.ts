import { expect, test } from 'vitest';
import { createCallStatistics } from '#manager/calls/metrics.ts';
import type { ServerEvent, Supervisor } from '#manager/supervisor/managed-server.ts';

test('percentiles are computed from the latest calls, list requests are not counted, and removed servers are dropped', () => {
  const names = new Set(['one']);
  let listener: ((event: ServerEvent) => void) | undefined;
  const supervisor = {
    get: (name: string) => (names.has(name) ? {} : undefined),
    subscribe: (one: typeof listener) => (listener = one),
  } as unknown as Supervisor;
  const statistics = createCallStatistics(supervisor, () => 42);
  const call = (
    milliseconds: number,
    outcome: 'ok' | 'tool-error' = 'ok',
    kind: 'tool' | 'list' = 'tool',
  ): void => statistics.onCall({ server: 'one', kind, tool: 'x', outcome, seconds: milliseconds / 1000 });
  expect(statistics.of('one')).toMatchObject({ calls: 0, p50: undefined, lastCalledAt: undefined });
  for (let call_ = 1; call_ <= 100; call_ += 1) call(call_, call_ % 10 === 0 ? 'tool-error' : 'ok');
  call(9999, 'ok', 'list');
  expect(statistics.of('one')).toEqual({
    calls: 100,
    failed: 10,
    p50: 50,
    p95: 95,
    p99: 99,
    lastCalledAt: 42,
  });
  for (let more = 0; more < 256; more += 1) call(7);
  expect(statistics.of('one')).toMatchObject({ calls: 356, p50: 7, p99: 7 });
  names.delete('one');
  listener?.({ kind: 'servers-changed' });
  names.add('one');
  expect(statistics.of('one').calls).toBe(0);
});
