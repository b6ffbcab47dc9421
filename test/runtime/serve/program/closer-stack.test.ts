import { expect, test } from 'vitest';
import { createCloserStack } from '#serve/program/closer-stack.ts';

function recorded() {
  const closers = createCloserStack();
  const calls: string[] = [];
  const closer = (name: string) => async () => {
    calls.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    calls.push(`${name} ends`);
  };
  return { closers, calls, closer };
}

test('closers run in reverse order, one after another', async () => {
  const { closers, calls, closer } = recorded();
  closers.add(closer('store'));
  closers.add(closer('server'));
  await closers.close();
  expect(calls).toEqual(['server begins', 'server ends', 'store begins', 'store ends']);
});

test('a failing closer is reported and does not prevent the other closers from running', async () => {
  const { closers, calls, closer } = recorded();
  closers.add(closer('store'));
  closers.add(() => Promise.reject(new Error('first')));
  closers.add(() => {
    throw new Error('at once');
  });
  await expect(closers.close()).rejects.toThrow('at once');
  expect(calls).toEqual(['store begins', 'store ends']);
});

test('a second call has no effect', async () => {
  const { closers, calls, closer } = recorded();
  closers.add(closer('store'));
  await Promise.all([closers.close(), closers.close()]);
  expect(calls).toEqual(['store begins', 'store ends']);
});

test('after replace, the new closer runs instead of the latest one', async () => {
  const { closers, calls, closer } = recorded();
  closers.add(closer('log'));
  closers.add(closer('store'));
  closers.replace(closer('state'));
  await closers.close();
  expect(calls).toEqual(['state begins', 'state ends', 'log begins', 'log ends']);
});

test('after a failed start, everything is closed and closer failures are not reported', async () => {
  const { closers, calls, closer } = recorded();
  closers.add(closer('store'));
  closers.add(() => Promise.reject(new Error('close')));
  await closers.abandon();
  expect(calls).toEqual(['store begins', 'store ends']);
});
