import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { shortenValue, wholeCharacters } from '#manager/long-results/shorten-value.ts';
import { jsonSize } from '#manager/shared/json-size.ts';

const text = (length: number): string => 'x'.repeat(length);
const rows = (count: number, length = 20) =>
  Array.from({ length: count }, (_, id) => ({ id, name: text(length), tags: ['a', 'b'] }));
const ROW = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, tags: { type: 'array' } },
  required: ['id', 'name', 'tags'],
  additionalProperties: false,
};
const LIST = { type: 'object', properties: { result: { type: 'array', items: ROW } }, required: ['result'] };

const SHORTENED: readonly (readonly [why: string, schema: unknown, value: unknown])[] = [
  ['without a schema', undefined, { result: rows(500), note: 'n' }],
  ['a list', LIST, { result: rows(500) }],
  [
    'a list with a minimum',
    { ...LIST, properties: { result: { type: 'array', items: ROW, minItems: 3 } } },
    { result: rows(500) },
  ],
  [
    'a long text',
    { type: 'object', properties: { text: { type: 'string', maxLength: 90_000 } } },
    { text: text(50_000) },
  ],
  [
    'several large members',
    {
      type: 'object',
      properties: { a: { type: 'array' }, b: { type: 'string' }, c: { type: 'array' } },
      required: ['a', 'b', 'c'],
    },
    { a: rows(100), b: text(9000), c: rows(200), small: 1 },
  ],
  [
    'an optional list with a reference, as Pydantic writes it',
    {
      type: 'object',
      $defs: { Row: ROW },
      properties: { rows: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/Row' } }, { type: 'null' }] } },
    },
    { rows: rows(500) },
  ],
  ['a single huge item', LIST, { result: rows(1, 90_000) }],
  [
    'unique items',
    { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } },
    { a: rows(500) },
  ],
  ['emojis', { type: 'object' }, { text: '😀'.repeat(5000) }],
  [
    'a member that must stay, and one that can be shortened',
    { type: 'object', properties: { id: { type: 'string', pattern: '^x+$' }, log: { type: 'string' } } },
    { id: text(500), log: text(20_000) },
  ],
];

test.each(SHORTENED)('%s: the value is shortened and still matches its schema', (_why, schema, value) => {
  const short = shortenValue(value, schema, 4000);
  expect(short).toBeDefined();
  expect(jsonSize(short)).toBeLessThanOrEqual(4000);
  expect(jsonSize(short)).toBeGreaterThan(1000);
  expect(JSON.stringify(short).isWellFormed()).toBe(true);
  const ajv = new Ajv2020({ strict: false });
  expect(ajv.validate(schema ?? true, short)).toBe(true);
  expect(Object.keys(short as object)).toEqual(Object.keys(value as object));
});

const KEPT: readonly (readonly [why: string, schema: unknown, value: unknown])[] = [
  ['a minimum of items', { properties: { a: { type: 'array', minItems: 400 } } }, { a: rows(500) }],
  ['a pattern', { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }, { a: text(9000) }],
  ['a format', { properties: { a: { type: 'string', format: 'uri' } } }, { a: text(9000) }],
  ['a constant', { properties: { a: { const: text(9000) } } }, { a: text(9000) }],
  ['a required item', { properties: { a: { type: 'array', contains: { const: 9 } } } }, { a: rows(500) }],
  ['a condition', { if: {}, properties: { a: { type: 'array' } } }, { a: rows(500) }],
  ['a reference elsewhere', { properties: { a: { $ref: 'https://example.com/x' } } }, { a: rows(500) }],
  ['a reference to a prototype', { properties: { a: { $ref: '#/$defs/constructor' } } }, { a: rows(500) }],
  [
    'a circular reference',
    { $defs: { A: { $ref: '#/$defs/A' } }, properties: { a: { $ref: '#/$defs/A' } } },
    { a: rows(500) },
  ],
  [
    'rules next to a reference',
    { $defs: { A: { type: 'array' } }, properties: { a: { $ref: '#/$defs/A', minItems: 500 } } },
    { a: rows(500) },
  ],
  [
    'ambiguous branches',
    { properties: { a: { oneOf: [{ type: 'array' }, { minItems: 500 }] } } },
    { a: rows(500) },
  ],
  ['all of several schemas', { allOf: [{ properties: { a: { minItems: 500 } } }] }, { a: rows(500) }],
  ['patterns of members', { patternProperties: { '^a': { minItems: 500 } } }, { a: rows(500) }],
  ['many small members', { type: 'object' }, Object.fromEntries(rows(900).map(({ id }) => [`k${id}`, id]))],
];

test.each(KEPT)('%s: the value is not shortened', (_why, schema, value) => {
  expect(shortenValue(value, schema, 4000)).toBeUndefined();
});

test('a value that fits is returned unchanged, whatever its schema is', () => {
  const value = { a: 1 };
  expect(shortenValue(value, { not: {} }, 4000)).toBe(value);
});

test('a text is never cut within a character', () => {
  expect(wholeCharacters('a😀b', 0, 2)).toBe('a');
  expect(wholeCharacters('a😀b', 0, 3)).toBe('a😀');
  expect(wholeCharacters('a😀', 1, 9)).toBe('😀');
});
