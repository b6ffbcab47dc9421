import { expect, test } from 'vitest';
import {
  createStallClock,
  type ThreadState,
  type ThreadView,
  threadFacts,
} from '#serve/program/watchdog/stall-clock.ts';

interface Second {
  /** Time since the last check of the thread. */
  readonly elapsed?: number;
  /** CPU time in this period; undefined where the system does not report it. */
  readonly cpu?: number | undefined;
  readonly state?: ThreadState;
  readonly beats?: number;
}

/** The stalled time after checks of a thread at intervals of a second. */
function stalledAfter(seconds: readonly Second[]): number {
  const clock = createStallClock(1000);
  let view: ThreadView = { at: 0, beats: 1, thread: { cpuMs: 0, state: seconds[0]?.state ?? 'runnable' } };
  let stalled = clock(view);
  for (const { elapsed = 1000, state = 'runnable', beats = 0, ...more } of seconds) {
    const cpu = 'cpu' in more ? more.cpu : 1000;
    const thread = cpu === undefined ? undefined : { cpuMs: (view.thread?.cpuMs ?? 0) + cpu, state };
    view = { at: view.at + elapsed, beats: view.beats + beats, thread };
    stalled = clock(view);
  }
  return stalled;
}

const times = (count: number, second: Second): Second[] => Array.from({ length: count }, () => second);

test.each<[string, readonly Second[], number]>([
  ['a loop that computes', times(10, {}), 10_000],
  ['a loop that waits in a call', times(10, { cpu: 0, state: 'waiting' }), 10_000],
  ['a loop that iterates', times(10, { beats: 1 }), 0],
  ['a loop that iterated once in between', [...times(5, {}), { beats: 1 }, ...times(3, {})], 3000],
  ['a thread that gets a tenth of a CPU', times(10, { cpu: 100 }), 1000],
  ['a process that was stopped for an hour', [{ elapsed: 3_600_000, cpu: 0, state: 'other' }], 0],
  ['a process that waits after it is continued', [{ elapsed: 3_600_000, cpu: 0, state: 'waiting' }], 2000],
  ['a thread that is stopped by a system debugger', times(10, { cpu: 0, state: 'other' }), 0],
  ['a thread that waits for a disk', times(10, { cpu: 10, state: 'other' }), 100],
  ['a system without CPU time and thread state', times(10, { cpu: undefined }), 10_000],
  ['a suspended system without CPU time and thread state', [{ elapsed: 3_600_000, cpu: undefined }], 2000],
])('the stalled time is correct for %s', (_name, seconds, stalled) => {
  expect(stalledAfter(seconds)).toBe(stalled);
});

test('CPU time and thread state are read from /proc, even if the program name contains special characters', () => {
  const rest = '1 1 1 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 11 0 100';
  expect(threadFacts(`7 (a) S (b) R ${rest}`)).toEqual({ cpuMs: 3000, state: 'runnable' });
  expect(threadFacts(`7 (node) S ${rest}`)).toEqual({ cpuMs: 3000, state: 'waiting' });
  expect(threadFacts(`7 (node) T ${rest}`)).toEqual({ cpuMs: 3000, state: 'other' });
  expect(threadFacts('')).toBeUndefined();
});
