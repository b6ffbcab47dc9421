import { array, assert, asyncProperty, integer, nat } from 'fast-check';
import { expect, test } from 'vitest';
import { type Leave, TurnQueue } from '#core/limits/turn-queue.ts';

/** Requests a turn, and records the order in which callers get their turns. */
function asker(queue: TurnQueue): {
  readonly ask: (name: string) => Leave | undefined;
  readonly granted: string[];
} {
  const granted: string[] = [];
  return {
    granted,
    ask(name) {
      const turn = queue.ask();
      if (turn.kind === 'refused') return undefined;
      if (turn.kind === 'granted') granted.push(name);
      else void turn.granted.then(() => granted.push(name));
      return turn.leave;
    },
  };
}

test('callers up to the limit run, more wait in order, and the rest are rejected', async () => {
  const queue = new TurnQueue(2, 2);
  const { ask, granted } = asker(queue);
  const leaves = ['a', 'b', 'c', 'd', 'e'].map(ask);
  expect(granted).toEqual(['a', 'b']);
  expect([queue.running, queue.waiting]).toEqual([2, 2]);
  expect(leaves[4]).toBeUndefined();
  leaves[1]?.();
  leaves[1]?.();
  await Promise.resolve();
  expect(granted).toEqual(['a', 'b', 'c']);
  expect([queue.running, queue.waiting]).toEqual([2, 1]);
});

test('if a caller leaves the queue, its turn goes to the next caller', async () => {
  const queue = new TurnQueue(1, 2);
  const { ask, granted } = asker(queue);
  const leaves = ['a', 'b', 'c'].map(ask);
  leaves[1]?.();
  leaves[0]?.();
  await Promise.resolve();
  expect(granted).toEqual(['a', 'c']);
  leaves[1]?.();
  expect([queue.running, queue.waiting]).toEqual([1, 0]);
});

test('a higher limit admits waiting callers; a lower limit removes neither running nor waiting callers', async () => {
  const queue = new TurnQueue(1, 3);
  const { ask, granted } = asker(queue);
  ['a', 'b', 'c', 'd'].forEach(ask);
  queue.resize(3, 0);
  await Promise.resolve();
  expect(granted).toEqual(['a', 'b', 'c']);
  queue.resize(1, 0);
  expect([queue.running, queue.waiting]).toEqual([3, 1]);
  expect(queue.ask().kind).toBe('refused');
});

test('the queue is idle only after the last caller has finished', async () => {
  const queue = new TurnQueue(1, 1);
  await queue.idle();
  const { ask } = asker(queue);
  const [first, second] = ['a', 'b'].map(ask);
  let idle = false;
  const waiting = queue.idle().then(() => (idle = true));
  first?.();
  await Promise.resolve();
  expect(idle).toBe(false);
  second?.();
  await waiting;
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});

test('regardless of the order of calls, the limit is never exceeded and every caller gets a turn', async () => {
  const steps = array(nat(5), { maxLength: 60 });
  await assert(
    asyncProperty(integer({ min: 1, max: 4 }), nat(4), steps, async (maxRunning, maxWaiting, actions) => {
      const queue = new TurnQueue(maxRunning, maxWaiting);
      const { ask, granted } = asker(queue);
      const inside: Leave[] = [];
      let accepted = 0;
      for (const action of actions) {
        const leave = action < 3 ? ask(String(accepted)) : undefined;
        if (leave) {
          inside.push(leave);
          accepted += 1;
        }
        // The running callers leave first; then all accepted callers get their turn.
        if (action >= 3 && inside.length > 0) inside.shift()?.();
        await Promise.resolve();
        expect(queue.running).toBeLessThanOrEqual(maxRunning);
        expect(queue.waiting).toBeLessThanOrEqual(maxWaiting);
        expect(queue.running + queue.waiting).toBe(inside.length);
      }
      for (const leave of inside) {
        leave();
        await Promise.resolve();
      }
      expect(granted).toEqual(Array.from({ length: accepted }, (_, index) => String(index)));
      await queue.idle();
    }),
  );
});
