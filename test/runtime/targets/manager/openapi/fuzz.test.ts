import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitResult } from '#manager/openapi/output-schema.ts';
import type { ApiPlan } from '#manager/openapi/plan.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { planOf, toolOf } from './plan.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const SHARED = {
  Pet: {
    type: 'object',
    properties: { name: { type: 'string' }, owner: { $ref: '#/components/schemas/Owner' } },
  },
  Owner: {
    allOf: [
      {
        type: 'object',
        properties: { pets: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } },
      },
    ],
  },
};
const pet = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } };
const operation = (operationId: string) => ({
  operationId,
  tags: ['pets'],
  summary: 'A pet',
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'filter', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
  ],
  requestBody: pet,
  responses: { 200: { description: 'OK', ...pet } },
  security: [{ key: [] }],
  servers: [{ url: 'https://{region}.api.example', variables: { region: { default: 'eu' } } }],
});
const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://eu.api.example' }],
  components: { schemas: SHARED, securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  paths: {
    '/first/{id}': { post: operation('first') },
    '/second/{id}': { post: operation('second') },
    '/third/{id}': { put: operation('third') },
  },
};

/** Values that documents have in the wrong places. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    '',
    {},
    [],
    -1,
    1e308,
    'x'.repeat(5000),
    { $ref: '#' },
    { $ref: '#/paths' },
    { $ref: '#/components/schemas/Pet' },
    { $ref: '#/components/schemas/%00' },
    { $ref: '../../etc/passwd' },
    { $ref: 5 },
    { type: 'array', items: { $ref: '#/paths/~1second~1{id}/post' } },
    JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`),
    JSON.parse('{"__proto__": {"get": {}}, "constructor": 1, "toString": []}'),
  ),
);

/** Lists the paths of all values in a value. */
function pathsIn(value: unknown, path: readonly string[] = []): string[][] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) => pathsIn(member, [...path, key]))
      : [];
  return [[...path], ...inner];
}

/** Returns a copy with another value at a path; undefined removes it. */
function replaced(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  const members = Object.entries(value as object).flatMap(([name, member]) => {
    const next: unknown = name === key ? replaced(member, rest, other) : member;
    return next === undefined ? [] : [[name, next] as const];
  });
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

const definitionsOf = (document: object): Record<string, unknown> =>
  Object.fromEntries(planOf(document).tools.map(({ definition }) => [definition.name, definition]));

test('a damaged operation drops itself at most', () => {
  const before = definitionsOf(DOCUMENT);
  expect(Object.keys(before)).toEqual(['first', 'second', 'third']);
  // A damaged ID can take the name of another operation.
  const places = pathsIn(DOCUMENT.paths['/first/{id}'].post).filter(([key]) => key !== 'operationId');
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.option(junk, { nil: undefined }), (place, value) => {
      const document = replaced(DOCUMENT, ['paths', '/first/{id}', 'post', ...place], value) as object;
      const { second, third } = definitionsOf(document);
      return isDeepStrictEqual([second, third], [before['second'], before['third']]);
    }),
    { numRuns: 1500 },
  );
});

/** Returns the tools of a document, or the error. */
function read(document: object): { readonly tools: ApiPlan['tools']; readonly error: string } {
  try {
    return { tools: planOf(document).tools, error: '' };
  } catch (error) {
    return { tools: [], error: String(error) };
  }
}

test('a damaged document is an error with a sentence, or has valid tools', () => {
  const valid = new Ajv2020({ strict: false, logger: false, validateFormats: false }).getSchema(
    'https://json-schema.org/draft/2020-12/schema',
  );
  const styles = JSON.parse(readFileSync(join(FIXTURES, 'openapi', 'styles.json'), 'utf8')) as object;
  for (const document of [DOCUMENT, styles]) {
    const places = pathsIn(document);
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.option(junk, { nil: undefined }), (place, value) => {
        const { tools, error } = read(replaced(document, place, value) as object);
        expect(error).toMatch(/^(?:$|Error: Cannot (?:use|read) \/documents\/openapi\.json: )/);
        for (const { definition } of tools) {
          expect(valid?.(definition.inputSchema), JSON.stringify(definition.inputSchema)).toBe(true);
          expect(valid?.(definition.outputSchema ?? {})).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  }
});

test('a reference to a file of a document that was removed is an error with a sentence', () => {
  for (const place of pathsIn(DOCUMENT)) {
    const { error } = read(replaced(DOCUMENT, place, { $ref: 'other.json' }) as object);
    expect(error).toMatch(/^(?:$|Error: Cannot (?:use|read) \/documents\/openapi\.json: )/);
  }
});

test('structured content always matches its schema', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: {
        type: 'array',
        items: { type: 'object', properties: { c: { type: 'integer' } }, required: ['c'] },
      },
      d: { oneOf: [{ type: 'string' }, { type: 'number' }] },
      e: { type: 'object', additionalProperties: { type: 'boolean' } },
    },
    required: ['a'],
    additionalProperties: false,
  };
  const responses = { 200: { content: { 'application/json': { schema } } } };
  const { outputSchema = {} } = toolOf({ responses }).definition;
  const validate = new Ajv2020({ strict: false }).compile(outputSchema);
  const any = fc.jsonValue({ maxDepth: 4 });
  const near = fc.record(
    { a: any, b: fc.array(fc.oneof(any, fc.record({ c: any }))), d: any, e: fc.dictionary(fc.string(), any) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(near, (content) => {
      expect(validate(fitResult(content as Record<string, Json>, outputSchema))).toBe(true);
    }),
  );
});
