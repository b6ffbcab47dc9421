const object = { type: 'object' };
/** A tool with this name. */
export const named = <Name>(name: Name, more: object = {}) => ({ name, inputSchema: object, ...more });

/** Tools that can be called once they are repaired. */
export const REPAIRED = [
  { name: 'no-schema' },
  named('null-schema', { inputSchema: null }),
  named('empty-schema', { inputSchema: {} }),
  named('list-schema', { inputSchema: [] }),
  named('true-schema', { inputSchema: true }),
  named('nullable-schema', { inputSchema: { type: ['object', 'null'] } }),
  named('null-type', { inputSchema: { type: null, properties: null, required: null } }),
  named('list-properties', { inputSchema: { type: 'object', properties: [] } }),
  named('odd-properties', {
    inputSchema: { type: 'object', properties: { a: null, b: true, c: false, d: 1 } },
  }),
  named('odd-required', { inputSchema: { type: 'object', required: ['a', null, 5] } }),
  named('required-text', { inputSchema: { type: 'object', required: 'a' } }),
  named('null-members', {
    title: null,
    description: null,
    annotations: null,
    icons: null,
    _meta: null,
    execution: null,
  }),
  named('odd-members', { title: 1, description: {}, annotations: [], icons: 'x', _meta: 'x', execution: [] }),
  named('null-hints', { annotations: { title: null, readOnlyHint: null, destructiveHint: 'no' } }),
  named('odd-icons', { icons: [{ src: 5 }, null, { src: 'data:image/png,', sizes: 'any', theme: null }] }),
  named('odd-execution', { execution: { taskSupport: null } }),
  named('null-output', { outputSchema: null }),
  named('empty-output', { outputSchema: {} }),
  named('text-output', { outputSchema: { type: 'string' } }),
  named('unknown-type-output', { outputSchema: { type: 'object', properties: { a: { type: 'strin' } } } }),
  named('lost-reference-output', {
    outputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/gone' } } },
  }),
] as const;

/** Tools that are omitted, because no repair is safe. */
export const DROPPED = [
  null,
  'text',
  7,
  [],
  {},
  named(null),
  named(5),
  named(''),
  named('text-schema', { inputSchema: 'object' }),
  named('false-schema', { inputSchema: false }),
  named('string-schema', { inputSchema: { type: 'string' } }),
  named('text-properties', { inputSchema: { type: 'object', properties: 'a' } }),
];
