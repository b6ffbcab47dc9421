import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWriteGroups } from '#gateway/evaluation/jobs/worker/write-groups.ts';
import { createTestClock } from '../../test-clock.ts';

interface Batch {
  readonly name: string;
  readonly rows: readonly { readonly text: string }[];
}

const batch = (name: string, rows = 1, text = name): Batch => ({
  name,
  rows: Array.from({ length: rows }, () => ({ text })),
});

/** Groups whose writes finish when `written` is called. */
function open(isUrgent: (batches: readonly Batch[]) => boolean = () => false) {
  const clock = createTestClock();
  const groups: string[] = [];
  const writes: PromiseWithResolvers<void>[] = [];
  const all = createWriteGroups<Batch>({
    clock,
    isUrgent,
    write(found) {
      groups.push(found.map(({ name }) => name).join(' '));
      const write = Promise.withResolvers<void>();
      writes.push(write);
      return write.promise;
    },
  });
  const written = async (error?: Error): Promise<void> => {
    const write = writes.shift();
    if (error) write?.reject(error);
    else write?.resolve();
    await turn();
  };
  return { clock, groups, all, written };
}

test('a batch is written immediately, and later batches within 200 ms are written together', async () => {
  const { clock, groups, all, written } = open();
  await all.add(batch('a'));
  clock.advance(0);
  expect(groups).toEqual(['a']);
  await written();
  await all.add(batch('b'));
  clock.advance(199);
  await all.add(batch('c'));
  expect(groups).toEqual(['a']);
  clock.advance(1);
  expect(groups).toEqual(['a', 'b c']);
  // Later ones wait for this write.
  await all.add(batch('d'));
  clock.advance(1000);
  expect(groups).toEqual(['a', 'b c']);
  await written();
  await all.add(batch('e'));
  clock.advance(0);
  expect(groups).toEqual(['a', 'b c', 'd e']);
  await written();
  clock.advance(1000);
  expect(groups).toHaveLength(3);
});

test('many rows, large rows and urgent batches are written immediately, and the next batch waits for them', async () => {
  const { groups, all, written } = open((found) => found.some(({ name }) => name === 'urgent'));
  for (const [at, one] of [
    batch('many', 100),
    batch('large', 1, 'x'.repeat(256 * 1024)),
    batch('urgent'),
  ].entries()) {
    await all.add(batch('small'));
    let isAdded = false;
    const added = all.add(one).then(() => (isAdded = true));
    await turn();
    expect([groups[at], isAdded]).toEqual([`small ${one.name}`, false]);
    await written();
    await added;
  }
});

test('flush waits for a write in progress and writes pending data, and the error from a failed write is thrown by the next call', async () => {
  const { clock, groups, all, written } = open();
  await all.add(batch('a'));
  clock.advance(200);
  await all.add(batch('b'));
  const flushed = all.flush();
  await turn();
  expect(groups).toEqual(['a']);
  await written();
  expect(groups).toEqual(['a', 'b']);
  await written();
  await flushed;
  await all.flush();
  expect(groups).toHaveLength(2);

  await all.add(batch('c'));
  clock.advance(200);
  await written(new Error('lost'));
  await expect(all.add(batch('d'))).rejects.toThrow('lost');
  await expect(all.flush()).rejects.toThrow('lost');
  expect(groups).toEqual(['a', 'b', 'c']);
});

test('queued requests are dropped when the job is stopped', async () => {
  const { clock, groups, all } = open();
  await all.add(batch('a'));
  all.stop();
  clock.advance(1000);
  await all.flush();
  expect(groups).toEqual([]);
});
