import { array, assert, boolean, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMessageSplitter, type MessageLine } from '#manager/upstream/process/process-transport.ts';
import { readEnvelope } from '#manager/upstream/process/read-envelope.ts';

const MAX_BYTES = 400_000;
const MAX_CHARACTERS = 10_000;

function split(text: string, chunkSize: number): MessageLine[] {
  const splitter = createMessageSplitter({ maxBytes: MAX_BYTES, maxCharacters: MAX_CHARACTERS });
  const bytes = Buffer.from(text);
  const lines: MessageLine[] = [];
  for (let at = 0; at < bytes.length; at += chunkSize)
    lines.push(...splitter.push(bytes.subarray(at, at + chunkSize)));
  return lines;
}

const response = (id: unknown, letters: number, letter = 'x'): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { text: letter.repeat(letters) } });
const endsWithId = (id: unknown, letters: number): string =>
  JSON.stringify({ result: { text: 'x'.repeat(letters) }, jsonrpc: '2.0', id });

describe('a message with more characters than the maximum', () => {
  test.each([
    ['has its ID at the start', response(7, 20_000), { isMessage: true, id: 7 }],
    ['has its ID at the end', endsWithId(8, 20_000), { isMessage: true, id: 8 }],
    ['has a string ID', response('a', 20_000), { isMessage: true, id: 'a' }],
    [
      'is a server request',
      JSON.stringify({ id: 1, params: { x: 'x'.repeat(20_000) }, method: 'roots/list' }),
      { isMessage: true, id: 1, method: 'roots/list' },
    ],
    ['is text', 'x'.repeat(20_000), { isMessage: false }],
    ['is a batch', `[${response(1, 20_000)}]`, { isMessage: true }],
  ])('a message above the maximum is skipped if it %s', (_, line, skipped) => {
    for (const size of [100, 1000, 4096, 19_000]) {
      expect(split(`${line}\n{"next":1}\n`, size)).toEqual([
        { skipped, bytes: Buffer.byteLength(line) },
        { text: '{"next":1}' },
      ]);
    }
  });

  test('messages are measured in characters, not bytes', () => {
    const line = response(1, 9000, '☃');
    expect(split(`${line}\n`, 1000)).toEqual([{ text: line }]);
  });
});

test('a message with more bytes than the maximum is reported while it arrives, even if it is skipped', () => {
  const line = response(1, MAX_BYTES + 1);
  expect(split(line, 1000)).toEqual([{ tooLong: true }]);
  expect(split(`${line}\nnext\n`, 1000)).toEqual([{ tooLong: true }, { text: 'next' }]);
});

test('messages within the maximum are unchanged, in any order and any chunks', () => {
  const message = record({
    letters: integer({ min: 0, max: 20_000 }),
    atEnd: boolean(),
    size: integer({ min: 1, max: 5000 }),
  });
  assert(
    property(array(message, { minLength: 1, maxLength: 5 }), constantFrom(64, 1000, 65_536), (all, size) => {
      const lines = all.map(({ letters, atEnd }, id) =>
        atEnd ? endsWithId(id, letters) : response(id, letters),
      );
      const found = split(`${lines.join('\n')}\n`, size);
      const whole = lines.map((text, id) =>
        'text' in (found[id] ?? {}) ? { text } : { skipped: { isMessage: true, id }, bytes: text.length },
      );
      expect(found).toEqual(whole);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['{"id":1,"result":{"a', 'b"}}', 1],
  ['{ "jsonrpc" : "2.0" , "id" : 12 , "result": [', '1, 2 ] }', 12],
  ['{"result":{"id":3,"x', 'y","id":4}}', undefined],
  ['{"result":{"x":"', '"},"id":5}', 5],
  ['{"result":["', '"],"jsonrpc":"2.0","id":"six"}', 'six'],
  ['{"id":007,"result":{', '}}', 7],
  ['{"id":"a\\u', '}}', undefined],
  ['{"id":{"x":1},"result":"', '"}', undefined],
  ['{"id":1e999,"result":"', '"}', undefined],
  ['{"result":"', '","id":"}"}', undefined],
  ['{"result":"', 'unfinished', undefined],
])('the ID in %s…%s is %s', (head, tail, id) => {
  expect(readEnvelope(head, tail).id).toBe(id);
});
