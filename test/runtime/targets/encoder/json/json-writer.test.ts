import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { encodeJson } from '#encoder/json/json-writer.ts';

const encode = (value: unknown): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(encodeJson(value));

describe('encodeJson', () => {
  test('prints any JSON value like JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(encode(value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 2000 },
    );
  });

  test('prints any text like JSON.stringify, including unpaired surrogates', () => {
    const units = fc.oneof(
      fc.integer({ min: 0, max: 0x7f }),
      fc.integer({ min: 0xd800, max: 0xdfff }),
      fc.integer({ min: 0, max: 0xffff }),
    );
    fc.assert(
      fc.property(fc.array(units, { maxLength: 200 }), (codes) => {
        const text = String.fromCharCode(...codes);
        expect(encode({ [text]: text })).toBe(JSON.stringify({ [text]: text }));
      }),
      { numRuns: 2000 },
    );
  });

  test('prints every character like JSON.stringify', () => {
    const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    expect(all.filter((text) => encode(text) !== JSON.stringify(text))).toEqual([]);
    expect(encode('\u{1F600} \u{10FFFF}')).toBe('"\u{1F600} \u{10FFFF}"');
  });

  test('prints long texts and many texts, and grows its buffer', () => {
    for (const unit of ['x', '\u20AC', '\u{1F600}', '"', '\u0000']) {
      for (const length of [63, 64, 65, 1000, 100_000]) {
        const value = Array.from({ length: 3 }, () => unit.repeat(length));
        expect(encode(value)).toBe(JSON.stringify(value));
      }
    }
  });

  test('omits undefined fields, and prints null for undefined items', () => {
    const value = { a: undefined, b: null, c: [undefined, NaN, Infinity, -0, 1e21, 5e-324, true, {}], d: {} };
    expect(encode(value)).toBe(JSON.stringify(value));
    expect(encode({ a: undefined })).toBe('{}');
    expect(encode([])).toBe('[]');
  });

  test('prints numbers as doubles, and a Float32Array in its shortest form at any depth', () => {
    const vector = Float32Array.of(0.1, -0.1, 1, -0, 0.5, NaN, -Infinity, 16_777_216, 1e-7, 1e21);
    const plain = [0.1, -0.1, 1, 0, 0.5, null, null, 16_777_216, 1e-7, 1e21];
    expect(encode(vector)).toBe(JSON.stringify(plain));
    expect(encode({ a: [vector, { b: vector }], c: Math.fround(0.1), d: new Float32Array() })).toBe(
      JSON.stringify({ a: [plain, { b: plain }], c: 0.10000000149011612, d: [] }),
    );
  });

  test('accepts lists in which only later items have vectors', () => {
    const vector = Float32Array.from({ length: 5000 }, (_, at) => Math.sin(at));
    const plain = Array.from(vector, shortestFloat32);
    expect(encode([null, vector, {}, vector])).toBe(JSON.stringify([null, plain, {}, plain]));
  });
});
