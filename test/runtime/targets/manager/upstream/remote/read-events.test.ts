import { array, assert, asyncProperty, constantFrom, integer, string } from 'fast-check';
import { expect, test } from 'vitest';
import type { EventData } from '#serve/event-stream/event-frames.ts';
import { readEvents } from '#manager/upstream/remote/read-events.ts';

async function eventsOf(text: string, pieceBytes = 7): Promise<EventData[]> {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes);
  }
  return Array.fromAsync(readEvents(pieces()));
}

const NOTHING = { id: undefined, retryMs: undefined };

test('reads fields, comments and both line endings', async () => {
  const stream =
    ': keep-alive\n\nevent: endpoint\ndata: /messages\n\nid: 7\r\nretry: 250\r\ndata:one\r\ndata: two\r\nother: x\r\ndata\r\n\r\n';
  expect((await eventsOf(stream)).filter(({ data }) => data !== undefined)).toEqual([
    { event: 'endpoint', data: '/messages', ...NOTHING },
    { event: undefined, data: 'one\ntwo\n', id: '7', retryMs: 250 },
  ]);
});

test('an incomplete event is ignored', async () => {
  expect(await eventsOf('data: one\n\ndata: two\n')).toEqual([{ event: undefined, data: 'one', ...NOTHING }]);
});

test('any data survives a round trip in any chunks', async () => {
  const line = string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ''));
  const events = array(array(line, { minLength: 1 }));
  const sizes = integer({ min: 1, max: 20 });
  await assert(
    asyncProperty(events, constantFrom('\n', '\r\n'), sizes, async (sent, lineEnd, pieceBytes) => {
      const written = sent.map((lines) => lines.map((text) => `data: ${text}${lineEnd}`).join('') + lineEnd);
      const found = await eventsOf(written.join(''), pieceBytes);
      expect(found.map(({ data }) => data)).toEqual(sent.map((lines) => lines.join('\n')));
    }),
  );
});
