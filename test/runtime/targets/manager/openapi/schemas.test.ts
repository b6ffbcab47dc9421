import { expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { mapInnerSchemas } from '#manager/shapes/inner-schemas.ts';
import { DEFINITIONS, LIST_OF_SCHEMAS, MAP_OF_SCHEMAS, ONE_SCHEMA } from '#manager/shared/schema-places.ts';
import { convert, toolOf } from './plan.ts';

const OLD = { openapi: '3.0.3' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test.each([
  [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
  [
    { type: 'string', nullable: true, enum: ['a'] },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  [
    { nullable: true, allOf: [{ type: 'object' }] },
    { anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }] },
  ],
  [
    { type: 'number', minimum: 1, exclusiveMinimum: true },
    { type: 'number', minimum: 1, exclusiveMinimum: 1 },
  ],
  [
    { type: 'number', maximum: 1, exclusiveMaximum: false },
    { type: 'number', maximum: 1 },
  ],
  [
    { type: 'string', example: 'x' },
    { type: 'string', examples: ['x'] },
  ],
  [{ type: 'object', xml: {}, discriminator: {}, 'x-own': 1, title: 'T' }, { type: 'object' }],
])('OpenAPI 3.0: %o becomes %o', (schema, expected) => {
  expect(convert(schema, OLD)).toEqual(expected);
});

test.each([
  [{ type: 'any' }, {}],
  [{ type: ['string', 'wrong', 'null'] }, { type: ['string', 'null'] }],
  [{ type: 'string', minLength: '3', maxLength: -1, pattern: '(?i)x', format: 5 }, { type: 'string' }],
  [{ enum: [] }, {}],
  [{ enum: ['a', 'a', { b: 1 }, { b: 1 }] }, { enum: ['a', { b: 1 }] }],
  [
    { type: 'object', required: ['a', 'a', 5], properties: { a: true, b: 'junk' } },
    { type: 'object', required: ['a'], properties: { a: {}, b: {} } },
  ],
  [
    { type: 'array', items: [{ type: 'string' }] },
    { type: 'array', prefixItems: [{ type: 'string' }] },
  ],
  [
    { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number', nullable: 5 } },
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
  ],
  [{ type: 'array', additionalItems: { type: 'number' } }, { type: 'array' }],
  [{ $id: 'http://x', $schema: 'http://y', $anchor: 'z', type: 'string' }, { type: 'string' }],
  [
    { properties: { __proto__: { type: 'string' }, constructor: { type: 'number' } } },
    { properties: { constructor: { type: 'number' } } },
  ],
])('what JSON Schema does not allow is left out: %o', (schema, expected) => {
  expect(convert(schema)).toEqual(expected);
});

test('properties that only responses have are not arguments', () => {
  const schema = {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' }, at: ref('Time') },
  };
  expect(convert(schema, { Time: { type: 'string', readOnly: true } })).toEqual({
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' } },
  });
});

test('schemas that are used once are written where they are used, others become definitions', () => {
  const Pet = { type: 'object', properties: { name: { type: 'string' } } };
  expect(convert(ref('Pet'), { Pet })).toEqual(Pet);
  const both = { type: 'object', properties: { a: ref('Pet'), b: ref('Pet') } };
  expect(convert(both, { Pet })).toEqual({
    type: 'object',
    properties: { a: { $ref: '#/$defs/Pet' }, b: { $ref: '#/$defs/Pet' } },
    $defs: { Pet },
  });
});

test('a recursive schema stays finite and valid', () => {
  const Tree = { type: 'object', properties: { children: { type: 'array', items: ref('Tree') } } };
  const schema = convert(ref('Tree'), { Tree });
  const validate = new Ajv2020({ strict: false }).compile(schema);
  expect(validate({ children: [{ children: [] }] })).toBe(true);
  expect(validate({ children: [{ children: 5 }] })).toBe(false);
});

test.each([
  [{ A: ref('A') }],
  [{ A: { allOf: [ref('A')] } }],
  [{ A: { allOf: [ref('B')], type: 'object' }, B: { anyOf: [ref('A'), { type: 'object' }] } }],
  [{ A: { not: ref('A') } }],
])('schemas that refer to themselves for the same value do not hang validators: %o', (schemas) => {
  const schema = convert({ type: 'object', properties: { a: ref('A'), b: ref('A') } }, schemas);
  const validate = new Ajv2020({ strict: false }).compile(schema);
  expect(() => validate({ a: {}, b: 5 })).not.toThrow();
});

test('a schema that is too large for a tool is simplified', () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [
      `S${at}`,
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 20 }, (_, next) => [`p${next}`, ref(`S${(at * 7 + next) % 500}`)]),
        ),
      },
    ]),
  );
  const requestBody = { content: { 'application/json': { schema: ref('S0') } } };
  const { inputSchema } = toolOf({ requestBody }, { components: { schemas } }).definition;
  expect(JSON.stringify(inputSchema).length).toBeLessThan(32_769);
  expect(() => new Ajv2020({ strict: false }).compile(inputSchema)).not.toThrow();
  const { S0 } = inputSchema['$defs'] as Record<string, { readonly properties: object }>;
  expect(Object.keys(S0?.properties ?? {})).toHaveLength(20);
});

test('a schema without an end is not followed', () => {
  let schema: object = {};
  for (let depth = 0; depth < 2000; depth += 1) schema = { type: 'array', items: schema };
  expect(JSON.stringify(convert(schema)).length).toBeLessThan(3000);
});

test('each keyword that contains schemas is converted inside and in the lists of servers', () => {
  // A type that is not valid is removed wherever a schema is expected.
  const [wrong, right] = [{ type: ['string', 'wrong'] }, { type: 'string' }];
  const values = [
    ...[...ONE_SCHEMA].map((keyword) => [keyword, wrong, right] as const),
    ...[...LIST_OF_SCHEMAS].map((keyword) => [keyword, [wrong], [right]] as const),
    ...[...MAP_OF_SCHEMAS].map((keyword) => [keyword, { a: wrong }, { a: right }] as const),
  ];
  for (const [keyword, value, converted] of values) {
    const replaced = mapInnerSchemas(keyword, value, (inner) => (inner === wrong ? right : inner));
    expect(replaced, keyword).toEqual(converted);
    // Definitions are written where they are used; `additionalItems` only counts after a list of items.
    const isDropped = DEFINITIONS.has(keyword) || keyword === 'additionalItems';
    const own = keyword === 'items' && Array.isArray(value) ? 'prefixItems' : keyword;
    expect(convert({ [keyword]: value }), keyword).toEqual(isDropped ? {} : { [own]: converted });
  }
  expect(values.length).toBeGreaterThan(20);
});
