import { assert, constantFrom, dictionary, jsonValue, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommentedJson } from '#core/json/commented-json.ts';
import { editCommentedJson, valueOf } from '#core/json/edit-commented-json.ts';

const ADDED = { command: 'x', args: ['a'] };
const add = (text: string): string => editCommentedJson(text, ['servers', 'new'], ADDED);
const remove = (text: string): string => editCommentedJson(text, ['servers', 'new'], undefined);
const read = (text: string): unknown => valueOf(parseCommentedJson(text).root);

describe('editing JSON with comments', () => {
  test.each([
    ['an empty file', ''],
    ['an empty object', '{}'],
    ['an object on one line', '{"a": 1, "servers": {"b": {}}}'],
    ['tabs and CRLF', '{\r\n\t"servers": {\r\n\t\t"b": {} // b\r\n\t}\r\n}\r\n'],
    ['trailing commas', '{\n  "servers": {\n    "b": {}, // b\n  }, /* end */\n}'],
    ['comments only', '// top\n{\n  // nothing, yet\n}\n// end\n'],
    ['a byte order mark', '\uFEFF{\n  "a": "//no comment"\n}'],
    ['escapes and names like __proto__', String.raw`{"__proto__": {"a": "\"}"}, "servers": {}}`],
    ['the same name twice', '{"servers": 1, "servers": {"a": 1}}'],
  ])('adds an entry to %s, keeps everything else, and can be reverted', (_what, text) => {
    const added = add(text);
    expect(read(added)).toMatchObject({ servers: { new: ADDED } });
    expect(add(added)).toBe(added);
    for (const comment of text.match(/\/\/ ?\w+|\/\*.*?\*\//g) ?? []) expect(added).toContain(comment);
    const removed = read(remove(added));
    expect(removed).toEqual({ servers: {}, ...(text.trim() === '' ? {} : (read(text) as object)) });
  });

  test('keeps each comment next to its entry', () => {
    const text =
      '{\n  "servers": {\n    "a": {}, // about a\n    // about b\n    "b": {} // also b\n  }\n}\n';
    const added = add(text);
    expect(added).toContain('"b": {}, // also b\n    "new": {\n      "command": "x"');
    expect(remove(added).replace('"b": {}, //', '"b": {} //')).toBe(text);
    expect(editCommentedJson(text, ['servers', 'a'], undefined)).toBe(
      '{\n  "servers": {\n    // about b\n    "b": {} // also b\n  }\n}\n',
    );
  });

  test('adds and removes an entry in any JSON object', () => {
    assert(
      property(dictionary(string(), jsonValue()), constantFrom(undefined, 2, '\t'), (servers, indent) => {
        const text = JSON.stringify({ first: 1, servers }, undefined, indent);
        const added = add(text);
        // JSON has no -0.
        const written = JSON.parse(JSON.stringify(servers)) as typeof servers;
        expect(read(added)).toEqual({ first: 1, servers: { ...written, new: ADDED } });
        const { new: _new, ...others } = written;
        expect(read(remove(added))).toEqual({ first: 1, servers: others });
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['{"a": 1,,}', 8],
    ['{"a" 1}', 5],
    ['{a: 1}', 1],
    ['[1, 2', 5],
    ['{} x', 3],
    ['/* open', 0],
    ['['.repeat(300), 201],
  ])('%j is rejected with its position', (text, position) => {
    const refusal = expect.objectContaining({ name: 'JsonSyntaxError', position }) as Error;
    expect(() => parseCommentedJson(text)).toThrow(refusal);
  });

  test.each(['[]', '{"servers": []}', '1'])(
    '%s is rejected because it contains no object to edit',
    (text) => {
      expect(() => add(text)).toThrow(/is not an object/);
    },
  );
});
