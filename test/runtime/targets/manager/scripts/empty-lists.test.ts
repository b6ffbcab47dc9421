import { expect, test } from 'vitest';
import { emptyLists } from '#manager/scripts/empty-lists.ts';

const LIST = { type: 'array', items: { type: 'array' } };

test.each([
  [{ a: {} }, { properties: { a: LIST } }, { a: [] }],
  [{ a: [{}, {}] }, { properties: { a: LIST } }, { a: [[], []] }],
  [{ a: { b: {} } }, { properties: { a: { properties: { b: LIST } } } }, { a: { b: [] } }],
  [{ a: {} }, { additionalProperties: { type: ['array', 'null'] } }, { a: [] }],
  [{ a: {} }, { properties: { a: { type: ['array', 'object'] } } }, { a: {} }],
  [{ a: {} }, { properties: { a: { type: 'object' } } }, { a: {} }],
  [{ toString: {} }, { properties: {} }, { toString: {} }],
  [{ a: {} }, undefined, { a: {} }],
  [{}, { type: 'object' }, {}],
])('%j with the schema %j becomes %j', (value, schema, result) => {
  expect(emptyLists(value, schema)).toEqual(result);
});
