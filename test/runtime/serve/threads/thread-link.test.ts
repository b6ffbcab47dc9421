import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { openThreadLink, type ThreadFunctions, type ThreadLink } from '#serve/threads/thread-link.ts';

let links: ThreadLink<never>[] = [];
afterEach(() => {
  for (const link of links) link.close();
  links = [];
});

/** Two ends of a link, the second of which offers functions. */
function connect<Functions extends ThreadFunctions>(functions: Functions) {
  const { port1, port2 } = new MessageChannel();
  const messages: unknown[] = [];
  port2.on('message', (message) => messages.push(message));
  const caller = openThreadLink<Functions>(port1);
  const offering = openThreadLink<never>(port2, functions);
  links.push(caller, offering);
  return { caller, offering, messages };
}

test('calls of one turn are one message, and each gets its own result', async () => {
  const { caller, messages } = connect({
    add: (one: number, other: number) => one + other,
    later: async (text: string) => await Promise.resolve(text.toUpperCase()),
    big: (amount: bigint) => ({ amount, set: new Set([1]) }),
  });
  const results = await Promise.all([
    caller.call('add', 1, 2),
    caller.call('later', 'ä'),
    caller.call('big', 7n),
  ]);
  expect(results).toEqual([3, 'Ä', { amount: 7n, set: new Set([1]) }]);
  expect(messages).toHaveLength(1);
});

test('errors keep everything that a response needs, and nothing of a client’s values', async () => {
  const { caller } = connect({
    refuse() {
      throw new AppError('OverloadedError', 'Too many requests.', {
        reason: 'rate_limited',
        retryAfterSeconds: 7,
        details: [{ message: 'too long', location: 'body.model', rule: 'maxLength', value: () => 1 }],
        cause: new Error('the cause'),
      });
    },
    fail: () => Promise.reject(new TypeError('broken')),
  });
  const refusal = await caller.call('refuse').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(AppError);
  expect(refusal).toMatchObject({
    code: 'OverloadedError',
    message: 'Too many requests.',
    reason: 'rate_limited',
    retryAfterSeconds: 7,
    details: [{ message: 'too long', location: 'body.model', rule: 'maxLength' }],
    cause: new Error('the cause'),
  });
  await expect(caller.call('fail')).rejects.toMatchObject({ code: 'InternalError', message: 'broken' });
});

test('a result that cannot be copied is an error of its call only', async () => {
  const { caller } = connect({ copyable: () => 1, other: () => () => 1 });
  const [fine, refused] = await Promise.allSettled([caller.call('copyable'), caller.call('other')]);
  expect(fine).toEqual({ status: 'fulfilled', value: 1 });
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'InternalError' } });
});

test('calls that are waiting when the other thread ends, and all later ones, are rejected', async () => {
  const { caller, offering } = connect({ never: () => new Promise<void>(() => undefined) });
  const waiting = caller.call('never');
  // The call must have arrived.
  await new Promise((resolve) => setTimeout(resolve, 20));
  offering.close();
  await expect(waiting).rejects.toMatchObject({ code: 'UnavailableError', reason: 'shutting_down' });
  await expect(caller.call('never')).rejects.toMatchObject({ code: 'UnavailableError' });
  expect(() => caller.tell('never')).not.toThrow();
});

test('a port can be given to the other thread', async () => {
  const received = Promise.withResolvers<unknown>();
  const { caller } = connect({
    take(about: object, port: import('node:worker_threads').MessagePort) {
      port.once('message', (message) => {
        received.resolve([about, message]);
        port.close();
      });
    },
  });
  const { port1, port2 } = new MessageChannel();
  caller.give('take', { name: 'mine' }, port2);
  port1.postMessage('hello');
  expect(await received.promise).toEqual([{ name: 'mine' }, 'hello']);
  await once(port1, 'close');
});
