import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringEnd } from '#core/json/string-end.ts';

const characters = fc.constantFrom('"', '\\', 'a', 'é', '\n', '字');
const texts = fc.oneof(
  fc.string({ unit: characters, maxLength: 1200 }),
  fc
    .tuple(fc.nat(600), fc.string({ unit: characters, maxLength: 20 }))
    .map(([n, tail]) => 'x'.repeat(n) + tail),
);

test('a string ends at the first unescaped quote', () => {
  fc.assert(
    fc.property(texts, fc.string(), (text, rest) => {
      const json = Buffer.from(JSON.stringify(text));
      expect(stringEnd(Buffer.concat([json, Buffer.from(rest)]), 0)).toBe(json.length);
    }),
  );
});

test('an unterminated string ends at the end of the text', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const json = Buffer.from(JSON.stringify(text)).subarray(0, -1);
      expect(stringEnd(json, 0)).toBe(json.length);
    }),
  );
});
