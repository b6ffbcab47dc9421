import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { inlineRefs } from '#manager/http/views/inline-refs.ts';

test('all references are replaced by their targets', () => {
  const schema = {
    type: 'object',
    $defs: {
      city: { type: 'string', minLength: 1 },
      place: { type: 'object', properties: { city: { $ref: '#/$defs/city' } } },
    },
    properties: {
      place: { $ref: '#/$defs/place', description: 'Where.' },
      places: { type: 'array', items: { $ref: '#/$defs/place' } },
      either: { anyOf: [{ $ref: '#/$defs/city' }, { type: 'null' }] },
    },
  };
  const place = { type: 'object', properties: { city: { type: 'string', minLength: 1 } } };
  expect(inlineRefs(schema)).toEqual({
    type: 'object',
    properties: {
      place: { ...place, description: 'Where.' },
      places: { type: 'array', items: place },
      either: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
    },
  });
});

test('a top-level reference is also followed', () => {
  const args = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  expect(inlineRefs({ $ref: '#/definitions/Args', definitions: { Args: args } })).toEqual(args);
});

test('a recursive schema keeps only its type and title where it repeats', () => {
  const tree = {
    $defs: {
      node: {
        type: 'object',
        title: 'Node',
        properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      },
    },
    properties: { tree: { $ref: '#/$defs/node' } },
  };
  expect(inlineRefs(tree)).toEqual({
    properties: {
      tree: {
        type: 'object',
        title: 'Node',
        properties: { children: { type: 'array', items: { type: 'object', title: 'Node' } } },
      },
    },
  });
  expect(inlineRefs({ type: 'object', properties: { self: { $ref: '#' } } })).toEqual({
    type: 'object',
    properties: { self: { type: 'object' } },
  });
});

test('unresolvable references allow any value, and external ones are kept', () => {
  expect(
    inlineRefs({
      properties: { a: { $ref: '#/$defs/none', type: 'string' }, b: { $ref: 'https://x.example/s' } },
    }),
  ).toEqual({ properties: { a: { type: 'string' }, b: { $ref: 'https://x.example/s' } } });
});

test('member names and data are not treated as keywords', () => {
  const schema = {
    properties: { $ref: { type: 'string' }, $defs: { const: { $ref: '#/nothing' } } },
    default: { $ref: '#/$defs/x' },
    enum: [{ $defs: 1 }],
  };
  expect(inlineRefs(schema)).toEqual(schema);
});

test('JSON pointers are decoded', () => {
  const schema = {
    $defs: { 'a/b ~c%': { type: 'string' } },
    properties: { x: { $ref: '#/$defs/a~1b%20~0c%25' } },
  };
  expect(inlineRefs(schema)).toEqual({ properties: { x: { type: 'string' } } });
});

test('a schema that would grow exponentially stays small', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      {
        type: 'object',
        properties: { l: { $ref: `#/$defs/d${at + 1}` }, r: { $ref: `#/$defs/d${at + 1}` } },
      },
    ]),
  );
  const text = JSON.stringify(inlineRefs({ $defs, properties: { bomb: { $ref: '#/$defs/d0' } } }));
  expect(text.length).toBeLessThan(10_000_000);
  expect(text).not.toContain('$ref');
});

test('values that are valid under the original schema are valid under the result', () => {
  const names = ['a', 'b', 'c'];
  const leaf = fc.constantFrom<object>({ type: 'string' }, { type: 'number' }, { type: 'boolean' });
  const reference = fc.constantFrom(...names).map((name) => ({ $ref: `#/$defs/${name}` }));
  const part = fc.oneof(
    leaf,
    reference,
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom(...names), fc.oneof(leaf, reference)),
    }),
    fc.record({ type: fc.constant('array'), items: fc.oneof(leaf, reference) }),
  );
  const schemas = fc.record({
    $defs: fc.record({ a: leaf, b: part, c: part }),
    properties: fc.dictionary(fc.constantFrom(...names), part),
  });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      tie('object'),
      tie('list'),
    ),
    object: fc.dictionary(fc.constantFrom(...names), tie('value')),
    list: fc.array(tie('value'), { maxLength: 3 }),
  }));
  fc.assert(
    fc.property(schemas, fc.array(value, { minLength: 5, maxLength: 20 }), (schema, values) => {
      const inlined = inlineRefs(schema);
      expect(JSON.stringify(inlined)).not.toContain('$ref');
      let before;
      try {
        before = new Ajv2020({ strict: false }).compile(schema);
      } catch {
        // A schema that only references itself.
        return;
      }
      const after = new Ajv2020({ strict: false }).compile(inlined);
      expect(values.filter((one) => acceptsOrFails(before, one) && !after(one))).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

function acceptsOrFails(validate: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return validate(value);
  } catch {
    // Circular references exceed the stack.
    return false;
  }
}
