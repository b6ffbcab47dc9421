import { expect, test, vi } from 'vitest';
import { createUpstreamBody } from '#gateway/providers/adapters/upstream.ts';

/** A body whose connection does nothing, with a record of the calls. */
function openBody() {
  const abort = vi.fn<(reason: Error) => void>();
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort,
    pause: () => undefined,
    resume: () => undefined,
  };
  return { writer: createUpstreamBody(controller), abort };
}

const TOO_LARGE = expect.objectContaining({ code: 'TooLargeError' });

test('a body is read up to the limit, whether or not it has already arrived', async () => {
  const before = openBody().writer;
  before.push(Buffer.from('12345'));
  before.end();
  expect((await before.body.collect(5)).toString()).toBe('12345');
  const later = openBody().writer;
  const collected = later.body.collect(5);
  later.push(Buffer.from('123'));
  later.push(Buffer.from('45'));
  later.end();
  expect((await collected).toString()).toBe('12345');
});

test('a connection is closed when its body exceeds the limit', async () => {
  const { writer, abort } = openBody();
  const collected = writer.body.collect(5);
  writer.push(Buffer.from('123456'));
  await expect(collected).rejects.toEqual(TOO_LARGE);
  expect(abort).toHaveBeenCalledOnce();
});

test('the limit also applies to a body that is complete before it is read', async () => {
  const { writer, abort } = openBody();
  writer.push(Buffer.from('123456'));
  writer.end();
  await expect(writer.body.collect(5)).rejects.toEqual(TOO_LARGE);
  expect(abort).not.toHaveBeenCalled();
});
