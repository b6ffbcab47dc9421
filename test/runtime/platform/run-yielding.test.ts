import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Steps } from '#core/limits/steps.ts';
import { ownTurn, runYielding } from '#platform/run-yielding.ts';

/** Each step uses the CPU for a millisecond. */
function* milliseconds(count: number): Steps<string> {
  for (let done = 0; done < count; done += 1) {
    const until = performance.now() + 1;
    while (performance.now() < until);
    yield;
  }
  return 'done';
}

test('other tasks run during a long computation', async () => {
  const over = new AbortController();
  const others = async (): Promise<number> => {
    for (let turns = 0; ; turns += 1) {
      await turn();
      if (over.signal.aborted) return turns;
    }
  };
  const turns = others();
  expect(await runYielding(milliseconds(50))).toBe('done');
  over.abort();
  expect(await turns).toBeGreaterThanOrEqual(10);
});

test('an error in the computation rejects the promise', async () => {
  function* failing(): Steps<void> {
    yield;
    throw new Error('a bad row');
  }
  await expect(runYielding(failing())).rejects.toThrow('a bad row');
});

test('long computations run one per turn of the event loop, in order', async () => {
  let turns = 0;
  const over = new AbortController();
  const counting = (async () => {
    for (; !over.signal.aborted; turns += 1) await turn();
  })();
  const resumed: [name: string, turn: number][] = [];
  const run = async (name: string): Promise<void> => {
    for (let round = 0; round < 2; round += 1) {
      await ownTurn();
      resumed.push([name, turns]);
    }
  };
  await Promise.all(['a', 'b', 'c'].map(run));
  over.abort();
  await counting;
  expect(resumed.map(([name]) => name)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  expect(new Set(resumed.map(([, one]) => one)).size).toBe(6);
});
