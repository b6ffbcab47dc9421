import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createChunkedMessages,
  type StreamMessage,
} from '#gateway/providers/adapters/bedrock/event-stream.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

interface Golden {
  readonly messages: readonly {
    readonly bytes: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly payload: string;
  }[];
}

const { messages } = JSON.parse(readFileSync(join(FIXTURES, 'golden/amazon.json'), 'utf8')) as Golden;
const bytes = Buffer.concat(messages.map((message) => Buffer.from(message.bytes, 'base64')));
const expected = messages.map(({ headers, payload }) => ({ headers, payload }));
const shown = (found: readonly StreamMessage[]): object[] =>
  found.map(({ headers, payload }) => ({ headers, payload: payload.toString() }));

test.each([1, 7, 16, 100_000])(
  "messages that arrive in chunks of %i bytes are decoded as by Amazon's own client",
  (size) => {
    const splitter = createChunkedMessages();
    const found: StreamMessage[] = [];
    for (let at = 0; at < bytes.length; at += size)
      found.push(...splitter.push(bytes.subarray(at, at + size)));
    expect(shown(found)).toEqual(expected);
    expect(splitter.isWhole()).toBe(true);
  },
);

test('every modified byte is detected, and a stream that ends inside a message is incomplete', () => {
  const [, second] = messages;
  const message = Buffer.from(second?.bytes ?? '', 'base64');
  for (let at = 0; at < message.length; at += 1) {
    const changed = Buffer.from(message);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    expect(() => createChunkedMessages().push(changed), `byte ${at}`).toThrow('checksum');
  }
  const splitter = createChunkedMessages();
  splitter.push(message.subarray(0, -1));
  expect(splitter.isWhole()).toBe(false);
  expect(() => createChunkedMessages(20).push(message)).toThrow('the maximum is 20');
});
