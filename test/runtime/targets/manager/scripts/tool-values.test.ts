import { expect, test } from 'vitest';
import { BinaryData, dataOf, scriptResult, scriptValue } from '#manager/scripts/tool-values.ts';
import type { ToolResult } from '#manager/shapes/results.ts';

const valueOf = (result: ToolResult): unknown => scriptValue(result, new BinaryData('p:'));
const text = (value: string) => ({ type: 'text', text: value });

test.each<[ToolResult, unknown]>([
  [{ content: [text('{"a":1}')], structuredContent: { b: 2 } }, { b: 2 }],
  [{ content: [text(' {"a":1}\n')] }, { a: 1 }],
  [{ content: [text('[1,2]')] }, [1, 2]],
  [{ content: [text('5')] }, '5'],
  [{ content: [text('{broken')] }, '{broken'],
  [{ content: [text('one'), text('two')] }, 'one\ntwo'],
  [{ content: [] }, ''],
  [
    { content: [text('one'), { type: 'resource_link', uri: 'a:b', name: 'n', _meta: {} }] },
    [text('one'), { type: 'resource_link', uri: 'a:b', name: 'n' }],
  ],
])('the result %j is the value %j', (result, value) => {
  expect(valueOf(result)).toEqual(value);
});

test.each<[ToolResult, string]>([
  [{ content: [text('no disk')], isError: true }, 'no disk'],
  [{ content: [], structuredContent: { reason: 'tired' }, isError: true }, '{"reason":"tired"}'],
  [{ content: [], isError: true }, 'it failed without a message'],
])('the failed result %j is the error %j', (result, message) => {
  expect(() => valueOf(result)).toThrow(message);
});

test('binary data is kept outside the value, and returned as content', () => {
  const binary = new BinaryData('\u0000p:');
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  const blob = { type: 'resource', resource: { uri: 'a:b', blob: 'BBBB', mimeType: 'x/y' } };
  const value = scriptValue({ content: [image, blob] }, binary);
  expect(JSON.stringify(value)).not.toMatch(/AAAA|BBBB/);
  expect(binary.replace(value, dataOf)).toEqual([image, blob]);
  expect(scriptResult(JSON.stringify({ value, again: value }), binary).content).toEqual([
    {
      type: 'text',
      text: expect.stringContaining('"data":"[image 1]"') as string,
    },
    image,
    blob,
  ]);
});

test('a text that a server writes never refers to binary data', () => {
  const binary = new BinaryData('\u0000p:');
  scriptValue({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }, binary);
  expect(binary.replace({ a: 'p:1', b: '\u0000q:1', c: '\u0000p:9' }, dataOf)).toEqual({
    a: 'p:1',
    b: '\u0000q:1',
    c: '\u0000p:9',
  });
});
