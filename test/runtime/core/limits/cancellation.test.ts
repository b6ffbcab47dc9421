import { expect, test, vi } from 'vitest';
import { abortSignalOf, Canceler } from '#core/limits/cancellation.ts';

const REASON = new Error('gone');

test('an abort calls each listener once, with the reason already set', () => {
  const canceler = new Canceler();
  const reasons: unknown[] = [];
  const kept = vi.fn<() => void>(() => void reasons.push(canceler.reason));
  const removed = vi.fn<() => void>();
  canceler.addEventListener('abort', kept);
  canceler.addEventListener('abort', removed);
  canceler.removeEventListener('abort', removed);
  canceler.removeEventListener('abort', removed);
  canceler.abort(REASON);
  canceler.abort(new Error('again'));
  expect(reasons).toEqual([REASON]);
  expect(removed).not.toHaveBeenCalled();
  expect(canceler).toMatchObject({ aborted: true, reason: REASON });
});

test('listeners that remove themselves or others during an abort do not hide listeners', () => {
  const canceler = new Canceler();
  const last = vi.fn<() => void>();
  const first = vi.fn<() => void>(() => canceler.removeEventListener('abort', first));
  canceler.addEventListener('abort', first);
  canceler.addEventListener('abort', last);
  canceler.abort(REASON);
  expect(first).toHaveBeenCalledOnce();
  expect(last).toHaveBeenCalledOnce();
});

test('an abort signal follows a cancellation, before and after its abort', () => {
  const canceler = new Canceler();
  const early = abortSignalOf(canceler);
  expect(early.aborted).toBe(false);
  canceler.abort(REASON);
  expect(early).toMatchObject({ aborted: true, reason: REASON });
  expect(abortSignalOf(canceler)).toMatchObject({ aborted: true, reason: REASON });
});

test('an abort signal is used as it is, and without a cancellation a signal is never aborted', () => {
  const { signal } = new AbortController();
  expect(abortSignalOf(signal)).toBe(signal);
  expect(abortSignalOf(undefined).aborted).toBe(false);
});
