import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { editMembers, listMembers } from '#gateway/shared/json-members.ts';
import { textWindows } from '#gateway/requests/guardrails/judges/judgement.ts';
import { estimateTokens } from '#gateway/requests/completions/endpoints/classify.ts';

const edit = (json: string, edits: Record<string, string | undefined>): string =>
  Buffer.from(editMembers(Buffer.from(json), edits)).toString();

const name = fc.oneof(
  fc.constantFrom('model', 'a"b', 'ü\\', 'stream', '__proto'),
  fc.string({ maxLength: 5 }),
);
const object = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }));
const edits = fc.dictionary(
  name,
  fc.option(
    fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
    { nil: undefined },
  ),
);

/** The expected result, computed the slow way. */
function expected(value: object, changes: Record<string, string | undefined>): unknown {
  const entries = new Map(Object.entries(value));
  for (const [key, text] of Object.entries(changes)) {
    if (text === undefined) entries.delete(key);
    else entries.set(key, JSON.parse(text));
  }
  return Object.fromEntries(entries);
}

test('an edit changes only the given members', () => {
  fc.assert(
    fc.property(object, edits, fc.constantFrom(undefined, 2, '\t'), (value, changes, indent) => {
      const json = JSON.stringify(value, null, indent);
      const plain = JSON.parse(json) as object;
      expect(JSON.parse(edit(json, changes))).toEqual(JSON.parse(JSON.stringify(expected(plain, changes))));
    }),
    { numRuns: 500 },
  );
});

test('an edit keeps every other byte', () => {
  const json = ' {"n": 1234567890123456789012 ,"model" : "x" , "f":1.50,\n"deep":{"model":"y"}}\n';
  expect(edit(json, { model: '"z"' })).toBe(json.replace('"x"', '"z"'));
  expect(edit(json, { model: undefined })).toBe(
    ' {"n": 1234567890123456789012 ,"f":1.50,\n"deep":{"model":"y"}}\n',
  );
  expect(edit(json, { deep: undefined, f: undefined })).toBe(
    ' {"n": 1234567890123456789012 ,"model" : "x"}\n',
  );
  expect(edit('{ "a":1, "b" :2 }', { a: undefined, b: undefined, c: '3' })).toBe('{"c":3  }');
  expect(edit('{}', { model: '"z"' })).toBe('{"model":"z"}');
  expect(edit('{"a":[1,{"b":"}"}]}', { c: 'true' })).toBe('{"c":true,"a":[1,{"b":"}"}]}');
  expect(edit('{"a":1}', { b: undefined })).toBe('{"a":1}');
});

const namesIn = (json: Uint8Array): string[] => listMembers(json).map(({ name }) => name);

test('every occurrence of a member is listed', () => {
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      const json = Buffer.from(JSON.stringify(value, null, indent));
      expect(namesIn(json).toSorted()).toEqual(Object.keys(value).toSorted());
    }),
  );
  expect(namesIn(Buffer.from('{"a":1,"a":{"b":[1,2]},"a":3}'))).toEqual(['a', 'a', 'a']);
});

test('every part of a text that is no longer than the overlap is contained in a window', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 300 }),
      fc.integer({ min: 2, max: 60 }),
      fc.nat(300),
      (text, size, at) => {
        const overlap = Math.floor(size / 2);
        const windows = textWindows(text, size, overlap);
        const part = text.slice(at, at + overlap);
        fc.pre(part.trim() !== '');
        expect(windows.some((window) => window.includes(part))).toBe(true);
        expect(windows.every((window) => window.length <= size)).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a token is estimated as four characters, rounded up', () => {
  expect([0, 1, 4, 5, 4000].map(estimateTokens)).toEqual([0, 1, 1, 2, 1000]);
});
