import { expect, test } from 'vitest';
import { parseLossless } from '#core/json/lossless-json.ts';
import { toolStub } from '#manager/scripts/tool-stub.ts';

const stub = (tool: { readonly name: string; readonly [member: string]: unknown }, details = false): string =>
  toolStub('github', tool, { details });
/** The form of a tool with one optional argument. */
const argument = (schema: unknown, more: object = {}): string =>
  stub({ name: 'x', inputSchema: { type: 'object', properties: { a: schema }, ...more } });

test('a stub shows the description, the arguments and the result', () => {
  expect(
    stub({
      name: 'create_issue',
      description: 'Creates an issue\n in a repository.',
      inputSchema: {
        type: 'object',
        properties: {
          title: { type: 'string', description: 'Title of the issue.' },
          body: { type: 'string' },
          labels: { type: 'array', items: { type: 'string' } },
          state: { enum: ['open', 'closed'], default: 'open' },
        },
        required: ['title'],
      },
      outputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
    }),
  ).toBe(
    '-- Creates an issue in a repository.\ntools.github.create_issue{ title: string, body?: string, labels?: string[], state?: "open" | "closed" = "open" } -> { number: integer }',
  );
});

test('details add the descriptions of the arguments', () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'string', description: 'First.' }, b: {} } };
  expect(stub({ name: 'x', inputSchema }, true)).toBe(
    'tools.github.x{ a?: string, b?: any } -> any\n--   a: First.',
  );
});

test.each([
  ['get.issue', 'tools.github["get.issue"]{} -> any'],
  ['end', 'tools.github["end"]{} -> any'],
  ['a"b\n\u0001', String.raw`tools.github["a\"b\n\u{0001}"]{} -> any`],
  ['_x1', 'tools.github._x1{} -> any'],
])('the tool %j is written as Lua accepts it', (name, form) => {
  expect(stub({ name })).toBe(form);
});

test('a server name that is not an identifier is written in brackets', () => {
  expect(toolStub('time-server', { name: 'now' }, { details: false })).toBe(
    'tools["time-server"].now{} -> any',
  );
});

test.each([
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }], default: null }, 'integer | null'],
  [{ type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'string' }] } }, '(integer | string)[]'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [string]: number }'],
  [{ type: 'object' }, 'table'],
  [{ type: 'array' }, 'any[]'],
  [{ type: 'object', properties: { 'content-type': { type: 'string' } } }, '{ ["content-type"]?: string }'],
  [{ type: 'string', format: 'date-time' }, 'string(date-time)'],
  [{ const: 5 }, '5'],
  [{ allOf: [{ type: 'object', properties: { b: { type: 'boolean' } } }] }, '{ b?: boolean }'],
  [true, 'any'],
  [{ type: 'strange' }, 'any'],
  [parseLossless('{"const":9007199254740993}'), '9007199254740993'],
])('the schema %j has the type %s', (schema, type) => {
  expect(argument(schema)).toBe(`tools.github.x{ a?: ${type} } -> any`);
});

test('references within a schema are followed, also cyclic ones', () => {
  const $defs = {
    node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, id: { type: 'integer' } } },
  };
  expect(argument({ $ref: '#/$defs/node' }, { $defs })).toContain(
    'a?: { next?: { next?: { next?: table, id?: integer }, id?: integer }, id?: integer }',
  );
  const $cycle = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } };
  expect(argument({ $ref: '#/$defs/a' }, $cycle)).toContain('a?: any');
  expect(argument({ $ref: '#/$defs/none' }, { $defs })).toContain('a?: any');
  expect(argument({ $ref: 'https://example.com/x' })).toContain('a?: any');
  expect(argument({ $ref: '#/__proto__/x' })).toContain('a?: any');
});

test('large schemas are written with fewer levels, and never exceed a bound', () => {
  const wide = (depth: number): object =>
    depth === 0
      ? { type: 'string' }
      : {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 100 }, (_, at) => [`member_${at}`, wide(depth - 1)]),
          ),
        };
  const text = argument(wide(3));
  expect(text).toContain('member_0?: table');
  expect(text.length).toBeLessThan(2500);
  // Each level of this schema has 40 times as many types as the one above.
  const $ref = '#/$defs/all';
  const members = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`m${at}`, { $ref }]));
  const cyclic = argument({ $ref }, { $defs: { all: { type: 'object', properties: members } } });
  expect(cyclic.length).toBeLessThan(2500);
});
