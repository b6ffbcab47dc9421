import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { createLifecycle } from '#serve/lifecycle.ts';

test('requests are admitted only while the server is ready, and drain waits until all admitted requests finish', async () => {
  const lifecycle = createLifecycle();
  expect(() => lifecycle.enter()).toThrow('The server is starting. Retry in a moment.');
  lifecycle.ready();
  const [first, second] = [lifecycle.enter(), lifecycle.enter()];
  let drained = false;
  const drain = lifecycle.drain().then(() => (drained = true));
  expect(() => lifecycle.enter()).toThrow('The server is shutting down.');
  first();
  first();
  await Promise.resolve();
  expect(drained).toBe(false);
  second();
  await drain;
  expect(drained).toBe(true);
});

test('all listeners are notified of every change', async () => {
  const lifecycle = createLifecycle();
  const { signal } = new AbortController();
  const warnings: string[] = [];
  const warn = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', warn);
  const seen = async (): Promise<string> => {
    await lifecycle.changed(signal);
    return lifecycle.phase();
  };
  const many = (): Promise<string[]> => Promise.all(Array.from({ length: 100 }, seen));
  const ready = many();
  lifecycle.ready();
  expect(new Set(await ready)).toEqual(new Set(['ready']));
  const draining = many();
  void lifecycle.drain();
  expect(new Set(await draining)).toEqual(new Set(['draining']));
  await new Promise(setImmediate);
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});

test('waiting for a change is rejected if its signal is aborted', async () => {
  const lifecycle = createLifecycle();
  const leaving = new AbortController();
  const waiting = lifecycle.changed(leaving.signal);
  leaving.abort();
  await expect(waiting).rejects.toThrow(/abort/);
  await expect(lifecycle.changed(leaving.signal)).rejects.toThrow(/abort/);
});

test('drain waits for work that outlives its request; at the timeout, this work is aborted, as is work that starts later', async () => {
  const lifecycle = createLifecycle();
  const cut: string[] = [];
  lifecycle.ready();
  const request = lifecycle.enter();
  const drain = lifecycle.drain();
  const work = lifecycle.extend(({ message }) => void cut.push(`first ${message}`));
  request();
  expect(lifecycle.inside()).toBe(1);
  lifecycle.cut(new AppError('UnavailableError', 'now'));
  const late = lifecycle.extend(({ message }) => void cut.push(`second ${message}`));
  expect(cut).toEqual(['first now', 'second now']);
  work();
  late();
  await drain;
});
