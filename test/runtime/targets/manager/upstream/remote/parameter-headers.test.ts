import { expect, test } from 'vitest';
import { createParameterHeaders } from '#manager/upstream/remote/parameter-headers.ts';
import { encodeHeader } from '#serve/mcp/stateless-request.ts';

const toolWith = (properties: object, more: object = {}) => ({
  name: 'tool',
  inputSchema: { type: 'object', properties, ...more },
});
const marked = (header: unknown, type: string) => ({ type, 'x-mcp-header': header });

function kept(tool: object): boolean {
  const { learn } = createParameterHeaders(() => undefined);
  return (learn({ tools: [tool] })['tools'] as unknown[]).length === 1;
}

test("arguments are sent in the headers that the tool's schema specifies for them, and absent arguments are omitted", () => {
  const { learn, headersFor } = createParameterHeaders(() => undefined);
  const inner = { type: 'object', properties: { count: marked('Count', 'integer') } };
  learn({ tools: [toolWith({ region: marked('Region', 'string'), dry: marked('Dry', 'boolean'), inner })] });
  const call = (args: object) => headersFor({ name: 'tool', arguments: args });
  expect(call({ region: 'us-west1', dry: false, inner: { count: 42 } })).toEqual({
    'mcp-param-region': 'us-west1',
    'mcp-param-dry': 'false',
    'mcp-param-count': '42',
  });
  expect(call({ region: null, inner: null })).toEqual({});
  expect(call({ inner: { count: 2 ** 60 } })).toEqual({});
  expect(headersFor({ name: 'other', arguments: { region: 'x' } })).toEqual({});
  expect(headersFor(undefined)).toEqual({});
});

test('a tool with invalid header annotations is omitted and reported', () => {
  expect(kept(toolWith({ region: marked('Region', 'string') }))).toBe(true);
  expect(kept({ name: 'without schema' })).toBe(true);
  expect(kept(toolWith({ region: marked('', 'string') }))).toBe(false);
  expect(kept(toolWith({ region: marked('two words', 'string') }))).toBe(false);
  expect(kept(toolWith({ region: marked(7, 'string') }))).toBe(false);
  expect(kept(toolWith({ region: marked('Region', 'number') }))).toBe(false);
  expect(kept(toolWith({ a: marked('Same', 'string'), b: marked('same', 'string') }))).toBe(false);
  expect(kept(toolWith({ list: { type: 'array', items: marked('Item', 'string') } }))).toBe(false);
  expect(kept(toolWith({}, { anyOf: [{ properties: { a: marked('A', 'string') } }] }))).toBe(false);

  const told: string[] = [];
  createParameterHeaders((line) => told.push(line)).learn({ tools: [toolWith({ a: marked('', 'string') })] });
  expect(told).toEqual(['The tool tool is omitted: its x-mcp-header annotations are invalid.']);
});

test('a header value with special characters is encoded', () => {
  const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
  for (const plain of ['us-west1', 'a b', '42']) expect(encodeHeader(plain)).toBe(plain);
  for (const text of ['Hello, 世界', ' padded ', 'line1\nline2', '=?base64?literal?=', '']) {
    expect(encodeHeader(text)).toBe(encoded(text));
  }
});
