import { expect, test } from 'vitest';
import { FairQueue } from '#core/limits/fair-queue.ts';

/** Serves everything; returns the items in order. */
function serveAll<Item>(queue: FairQueue<Item>): Item[] {
  const served: Item[] = [];
  for (let entry = queue.first(); entry; entry = queue.first()) {
    served.push(entry.item);
    queue.take(entry);
  }
  return served;
}

test('a flow with many items does not delay the item of another flow', () => {
  const queue = new FairQueue<string>();
  for (let at = 0; at < 100; at += 1) queue.add(`a${at}`, { flow: 'a', weight: 1 });
  queue.add('b0', { flow: 'b', weight: 1 });
  const order = serveAll(queue);
  expect(order.slice(0, 3)).toEqual(['a0', 'b0', 'a1']);
  expect(queue.size).toBe(0);
});

test('flows are served by weight, and each in its own order', () => {
  const queue = new FairQueue<string>();
  for (let at = 0; at < 100; at += 1) {
    queue.add('low', { flow: 'l', weight: 1 });
    queue.add('normal', { flow: 'n', weight: 4 });
    queue.add(`high ${at}`, { flow: 'h', weight: 16 });
  }
  const first = serveAll(queue).slice(0, 84);
  const count = (name: string): number => first.filter((item) => item.startsWith(name)).length;
  expect([count('low'), count('normal'), count('high')]).toEqual([4, 16, 64]);
  expect(first.filter((item) => item.startsWith('high'))).toEqual(
    Array.from({ length: 64 }, (_, at) => `high ${at}`),
  );
});

test('an item that arrives is served before flows that have been served since', () => {
  const queue = new FairQueue<string>();
  for (let at = 0; at < 50; at += 1) queue.add('low', { flow: 'l', weight: 1 });
  for (let at = 0; at < 10; at += 1) {
    const entry = queue.first();
    if (entry) queue.take(entry);
  }
  queue.add('high', { flow: 'h', weight: 16 });
  expect(queue.first()?.item).toBe('high');
});

test('a flow that sends its items one by one has no advantage over one that sends them together', () => {
  const queue = new FairQueue<string>();
  for (let at = 0; at < 40; at += 1) queue.add('together', { flow: 't', weight: 1 });
  queue.add('single', { flow: 's', weight: 1 });
  const served: string[] = [];
  for (let at = 0; at < 40; at += 1) {
    const entry = queue.first();
    if (!entry) break;
    served.push(entry.item);
    queue.take(entry);
    if (entry.item === 'single') queue.add('single', { flow: 's', weight: 1 });
  }
  expect(served.filter((item) => item === 'single')).toHaveLength(20);
});

test('deleted items are not served, and their flow keeps its place', () => {
  const queue = new FairQueue<string>();
  const gone = queue.add('gone', { flow: 'a', weight: 1 });
  queue.add('b', { flow: 'b', weight: 1 });
  queue.add('a', { flow: 'a', weight: 1 });
  queue.delete(gone);
  queue.delete(gone);
  expect(queue.size).toBe(2);
  expect(serveAll(queue)).toEqual(['b', 'a']);
});

/** A generator with a fixed sequence. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

test.each([1, 2, 3, 4, 5])('no item waits for more others than its weight allows (sequence %i)', (seed) => {
  const random = numbersFrom(seed);
  const weights = [1, 4, 16];
  const flows = Array.from({ length: 12 }, (_, at) => ({ flow: `f${at}`, weight: weights[at % 3] ?? 1 }));
  const queue = new FairQueue<{ flow: string; weight: number; ahead: number; at: number }>();
  const ahead = new Map<string, number>();
  const problems: string[] = [];
  let served = 0;
  for (let step = 0; step < 5000; step += 1) {
    if (random() < 0.55) {
      const flow = flows[Math.floor(random() ** 2 * flows.length)] ?? { flow: 'f0', weight: 1 };
      const before = ahead.get(flow.flow) ?? 0;
      ahead.set(flow.flow, before + 1);
      queue.add({ ...flow, ahead: before, at: served }, flow);
      continue;
    }
    const entry = queue.first();
    if (!entry) continue;
    queue.take(entry);
    const { flow: name, weight, ahead: before, at } = entry.item;
    ahead.set(name, (ahead.get(name) ?? 1) - 1);
    // Each of the others can be served by its share of the virtual time until this item, and once more.
    const virtual = (before + 2) / weight;
    const most = flows.reduce((sum, other) => sum + other.weight * virtual + 1, 0);
    if (served - at > most) problems.push(`${name}: ${served - at} of ${most}`);
    served += 1;
  }
  expect(served).toBeGreaterThan(1500);
  expect(problems).toEqual([]);
});
