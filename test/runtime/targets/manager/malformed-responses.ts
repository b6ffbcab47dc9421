import { damaged } from './damaged.ts';

/** A text content block with every possible member. */
export const text = { type: 'text', text: 'x', annotations: { audience: ['user'], priority: 1 }, _meta: {} };
/** Results for each kind of request, with every possible member. */
export const GOOD = {
  tool: {
    content: [
      text,
      { type: 'image', data: 'AAEC', mimeType: 'image/png' },
      { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'a:b', name: 'b', size: 7 },
      { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'x' } },
      { type: 'resource', resource: { uri: 'a:b', blob: 'AAEC', _meta: {} } },
    ],
    structuredContent: { a: 1 },
    isError: false,
    _meta: { progressToken: 1 },
  },
  prompt: { description: 'x', messages: [{ role: 'user', content: text }], _meta: {} },
  resource: {
    contents: [
      { uri: 'a:b', mimeType: 'text/plain', text: 'x', _meta: {} },
      { uri: 'a:c', blob: 'AAEC' },
    ],
    _meta: {},
  },
  completion: { completion: { values: ['a', 'b'], total: 2, hasMore: false }, _meta: {} },
};

const ERRORS = [
  { error: null },
  { error: 'text' },
  { error: 7 },
  { error: [] },
  { error: {} },
  { error: { code: 'x', message: 'out of order' } },
  { error: { code: 1.5, message: 'out of order' } },
  { error: { code: null, message: null, data: null } },
  { error: { code: -32_000, message: { text: 'out of order' } } },
  { error: { message: 'only a message' } },
  { result: null, error: null },
  { result: { content: [] }, error: { code: -1, message: '' } },
];

/** Results with each part replaced by unexpected values, and errors in unexpected forms. */
export const answersOf = (good: object): unknown[] => [
  ...[...damaged(good)].map((result) => (result === undefined ? { result: null } : { result })),
  ...ERRORS,
];
