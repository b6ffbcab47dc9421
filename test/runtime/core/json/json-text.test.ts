import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJsonText } from '#core/json/json-text.ts';

/** As some programs write it, with each character of a name escaped or not. */
const escapedName = (name: string, escapes: readonly boolean[]): string => {
  const units = Array.from({ length: name.length }, (_, at) => name.charAt(at));
  const written = units.map((unit, at) =>
    escapes[at % escapes.length]
      ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
      : JSON.stringify(unit).slice(1, -1),
  );
  return `"${written.join('')}"`;
};

/** Names that look like the escapes of other names. */
const name = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.constantFrom(
    '\\',
    '"',
    '\\u0061',
    '\\u0061b',
    'ab',
    'abc',
    '\\\\',
    '\n',
    '__proto__',
    '\uE000',
    '\uE0000.0',
    '\uE0001.1',
    '\uE0000',
    '1',
  ),
);

test('an escaped key is not confused with an earlier key', () => {
  expect(parseJsonText(String.raw`{"model":"m","\\u006dax_t":1}`)).toEqual({
    model: 'm',
    [String.raw`\u006dax_t`]: 1,
  });
  expect(parseJsonText(String.raw`{"model":"m","\u006dax_tokens":2}`)).toEqual({ model: 'm', max_tokens: 2 });
  expect(parseJsonText(String.raw`{"h":[],"\\":0}`)).toEqual({ h: [], '\\': 0 });
  expect(parseJsonText(String.raw`{"h":1,"\"":2,"\n" : 3}`)).toEqual({ h: 1, '"': 2, '\n': 3 });
});

test('every key keeps its exact name and position, regardless of earlier input', () => {
  const members = fc.array(
    fc.tuple(name, fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), fc.integer()),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(members, fc.integer({ min: 0, max: 3 }), (list, depth) => {
      const inner = `{${list.map(([key, escapes, value]) => `${escapedName(key, escapes)} : ${value}`).join(' ,\n')}}`;
      const text = `${'{"h":['.repeat(depth)}${inner}${']}'.repeat(depth)}`;
      let read = parseJsonText(text);
      for (let level = 0; level < depth; level += 1) [read] = (read as { h: unknown[] }).h;
      const wanted = new Map(list.map(([key, , value]) => [key, value]));
      const isIndex = (key: string): boolean => /^(?:0|[1-9]\d*)$/.test(key);
      const keys = [...wanted.keys()];
      expect(Object.keys(read as object)).toEqual([
        ...keys.filter(isIndex).toSorted((a, b) => Number(a) - Number(b)),
        ...keys.filter((key) => !isIndex(key)),
      ]);
      for (const [key, value] of wanted)
        expect(Object.getOwnPropertyDescriptor(read, key)?.value).toBe(value);
    }),
    { numRuns: 3000 },
  );
});

test("invalid JSON is rejected with the parser's message", () => {
  const texts = fc.oneof(
    fc
      .json()
      .chain((json) => fc.nat({ max: json.length }).map((at) => `${json.slice(0, at)}\\${json.slice(at)}`)),
    fc.string({ unit: fc.constantFrom('{', '}', '"', '\\', ':', ',', 'u', '0', '1', ' '), maxLength: 14 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const [native, own] = [JSON.parse, parseJsonText].map((parse) => {
        try {
          return { value: JSON.stringify(parse(text)).length > 0 };
        } catch (error) {
          return String(error);
        }
      });
      expect(own).toEqual(native);
    }),
    { numRuns: 3000 },
  );
  expect(() => parseJsonText(String.raw`{"a":1\u002c":x":2}`)).toThrow('position 6');
});

test('long and deeply nested texts are parsed', () => {
  const long = `{"\\"":"${'\\n\\"'.repeat(1_000_000)}"}`;
  expect(Object.keys(parseJsonText(long) as object)).toEqual(['"']);
  const deep = `${'{"\\n":['.repeat(100_000)}1${']}'.repeat(100_000)}`;
  expect(Object.keys(parseJsonText(deep) as object)).toEqual(['\n']);
});

test('a reviver receives the source text of numbers', () => {
  const revive = (_: string, value: unknown, { source }: { source?: string }): unknown => source ?? value;
  expect(parseJsonText(String.raw`{"\u0061":1.50,"\"":2e0}`, revive)).toEqual({ a: '1.50', '"': '2e0' });
});

test('a text full of placeholder characters is parsed in one pass', () => {
  const run = '\uE000'.repeat(1_000_000);
  const marks = Array.from({ length: 100_000 }, (_, at) => `\uE000${at}.0`).join('');
  const text = JSON.stringify({ '"': 1, '\uE0000.0': 2, run, marks });
  const read = parseJsonText(text) as Record<string, unknown>;
  expect(Object.keys(read)).toEqual(['"', '\uE0000.0', 'run', 'marks']);
  expect([read['"'], read['run'] === run, read['marks'] === marks]).toEqual([1, true, true]);
});
