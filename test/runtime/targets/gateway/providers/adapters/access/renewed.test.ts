import { expect, test } from 'vitest';
import { createRenewed } from '#gateway/providers/adapters/access/access.ts';
import { createTestClock } from '../../../test-clock.ts';

const MINUTE = 60_000;

function renewed(lifeMs: number | undefined) {
  const clock = createTestClock();
  let fetched = 0;
  let isBroken = false;
  const value = createRenewed(async () => {
    fetched += 1;
    const value = fetched;
    await Promise.resolve();
    if (isBroken) throw new Error('refused');
    return { value, expiresAt: lifeMs === undefined ? undefined : clock.now() + lifeMs };
  }, clock);
  return { clock, value, fetched: () => fetched, breaks: (broken: boolean) => void (isBroken = broken) };
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('concurrent callers share one fetch, and the value is renewed before it expires', async () => {
  const { clock, value, fetched } = renewed(60 * MINUTE);
  expect(await Promise.all([value.get(), value.get(), value.get()])).toEqual([1, 1, 1]);
  clock.advance(54 * MINUTE);
  expect([await value.get(), fetched()]).toEqual([1, 1]);
  clock.advance(2 * MINUTE);
  expect(await Promise.all([value.get(), value.get()])).toEqual([1, 1]);
  await settled();
  expect([await value.get(), fetched()]).toEqual([2, 2]);
  clock.advance(120 * MINUTE);
  expect(await value.get()).toBe(3);
  value.forget();
  expect(await value.get()).toBe(4);
});

test('a failed renewal has no effect while the old value is valid, and is retried after a pause', async () => {
  const { clock, value, fetched, breaks } = renewed(60 * MINUTE);
  await value.get();
  breaks(true);
  clock.advance(56 * MINUTE);
  for (let nth = 0; nth < 3; nth += 1) {
    expect(await value.get()).toBe(1);
    await settled();
  }
  expect(fetched()).toBe(2);
  clock.advance(11_000);
  breaks(false);
  await value.get();
  await settled();
  expect(await value.get()).toBe(3);
  breaks(true);
  clock.advance(61 * MINUTE);
  await expect(value.get()).rejects.toThrow('refused');
  breaks(false);
  expect(await value.get()).toBe(5);
});

test('a token without expiry is kept, and a short-lived token is renewed in its last quarter', async () => {
  const forever = renewed(undefined);
  await forever.value.get();
  forever.clock.advance(1e12);
  expect(await forever.value.get()).toBe(1);
  const short = renewed(8000);
  await short.value.get();
  short.clock.advance(5900);
  expect([await short.value.get(), short.fetched()]).toEqual([1, 1]);
  short.clock.advance(200);
  expect([await short.value.get(), short.fetched()]).toEqual([1, 2]);
});
