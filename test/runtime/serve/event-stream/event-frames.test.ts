import { createParser } from 'eventsource-parser';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvent, createFrameSplitter } from '#serve/event-stream/event-frames.ts';

function framesOf(parts: readonly Uint8Array[]): Buffer[] {
  const splitter = createFrameSplitter();
  const frames = parts.flatMap((part) => splitter.push(Buffer.from(part)));
  const rest = splitter.end();
  return rest ? [...frames, rest] : frames;
}

const eventsOf = (parts: readonly Uint8Array[]): unknown[] =>
  framesOf(parts)
    .map(readEvent)
    .filter(({ data }) => data !== undefined)
    .map(({ event, data }) => ({ event, data }));

/** The result of a reference parser. */
function eventsOfOther(text: string): unknown[] {
  const events: unknown[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
  parser.feed(text);
  return events;
}

function splitAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length));
}

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const words = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]|\0/g, ''));
const line = fc.oneof(
  words.map((text) => `data: ${text}`),
  words.map((text) => `data:${text}`),
  fc.constantFrom('event: delta', 'event:x', ': comment', 'id: 1', 'retry: 5', 'data', 'unknown: y'),
);
/** Streams that mix all features of the specification. */
const stream = fc
  .array(fc.tuple(fc.array(fc.tuple(line, lineEnd), { minLength: 1, maxLength: 4 }), lineEnd), {
    maxLength: 6,
  })
  .map((events) => events.map(([lines, end]) => lines.map((each) => each.join('')).join('') + end).join(''));

test('any split of a stream results in the same events and bytes', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (text, places) => {
      const bytes = Buffer.from(text);
      const parts = splitAt(bytes, places);
      expect(eventsOf(parts)).toEqual(eventsOf([bytes]));
      expect(Buffer.concat(framesOf(parts))).toEqual(bytes);
    }),
    { numRuns: 2000 },
  );
});

test('a reference parser finds the same events', () => {
  fc.assert(
    fc.property(stream, (text) => {
      // The parsers differ only in unterminated events.
      const whole = `${text}\n\n`;
      expect(eventsOf([Buffer.from(whole)])).toEqual(eventsOfOther(whole));
    }),
    { numRuns: 2000 },
  );
});

test('any bytes are accepted and passed on unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (parts) => {
      expect(Buffer.concat(framesOf(parts))).toEqual(Buffer.concat(parts));
    }),
  );
});

test('a multibyte character can be split across chunks', () => {
  const bytes = Buffer.from('data: 東京 🌍\n\n');
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(eventsOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([
      { event: undefined, data: '東京 🌍' },
    ]);
  }
});

test('an unterminated event is rejected at the limit, in one chunk or many', () => {
  const splitter = createFrameSplitter(1000);
  const piece = Buffer.alloc(100, 'a');
  expect(() => {
    for (let sent = 0; sent < 20; sent += 1) splitter.push(piece);
  }).toThrow('larger than the maximum of 1000 bytes');
  expect(() => createFrameSplitter(1000).push(Buffer.from(`${'a'.repeat(2000)}\n\n`))).toThrow(
    'larger than the maximum of 1000 bytes',
  );
});
