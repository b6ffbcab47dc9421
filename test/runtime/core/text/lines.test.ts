import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { lines } from '#core/text/lines.ts';

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  return await Array.fromAsync(
    lines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))).setEncoding('utf8')),
  );
}

test('lines end only with LF or CRLF', async () => {
  expect(await linesOf('a\nb\r\nc')).toEqual(['a', 'b', 'c']);
  expect(await linesOf('a\u2028b\u2029c\rd\u0085e\n')).toEqual(['a\u2028b\u2029c\rd\u0085e']);
  expect(await linesOf('\n\na\n\n')).toEqual(['', '', 'a', '']);
  expect(await linesOf('')).toEqual([]);
});

test('a byte order mark is removed only at the start', async () => {
  expect(await linesOf('\uFEFFa\n\uFEFFb\n')).toEqual(['a', '\uFEFFb']);
});

test('chunk boundaries do not affect the result', async () => {
  const text = Buffer.from('\uFEFFnaïve 東京 🙂\r\nsecond\n\nlast');
  const whole = await linesOf(text);
  expect(whole).toEqual(['naïve 東京 🙂', 'second', '', 'last']);
  for (let at = 1; at < text.length; at++) {
    expect(await linesOf(text.subarray(0, at), text.subarray(at))).toEqual(whole);
  }
});
