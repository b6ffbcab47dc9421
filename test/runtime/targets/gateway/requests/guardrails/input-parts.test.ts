import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { mapBodyTexts } from '#gateway/requests/guardrails/mask/mask-texts.ts';
import { checkedTexts } from '#gateway/requests/guardrails/input-parts.ts';

test.each<[string, Record<string, unknown>]>([
  ['a tool description', { tools: [{ type: 'function', function: { description: 'an attack' } }] }],
  ['the name of a tool parameter', { tools: [{ input_schema: { properties: { 'an attack': {} } } }] }],
  [
    'a parameter named like a setting',
    { tools: [{ parameters: { properties: { headers: { title: 'attack' } } } }] },
  ],
  ['a legacy function', { functions: [{ name: 'x', description: 'an attack' }] }],
  ['the grammar of a custom tool', { tools: [{ type: 'custom', format: { definition: 'attack' } }] }],
  ['the response format', { response_format: { json_schema: { description: 'an attack' } } }],
  [
    'the schema of the response format',
    { response_format: { json_schema: { schema: { properties: { id: { title: 'attack' } } } } } },
  ],
  ['a schema value', { text: { format: { schema: { enum: [{ id: 'attack' }] } } } }],
  ['a prediction', { prediction: { type: 'content', content: 'an attack' } }],
  ['prompt variables', { prompt: { id: 'pmpt_1', variables: { customer_id: 'an attack' } } }],
  ['a document title', { messages: [{ content: [{ type: 'document', title: 'an attack' }] }] }],
  ['a custom tool call', { messages: [{ tool_calls: [{ custom: { input: 'an attack' } }] }] }],
  ['a provider-specific member', { chat_template: 'an attack' }],
  ['instructions', { instructions: 'an attack' }],
])('text is found in %s', (_where, body) => {
  expect(checkedTexts({ model: 'x', ...body }).join()).toContain('attack');
});

test('each tool definition is checked as one string', () => {
  const tools = [
    { name: 'a', description: 'b' },
    { function: { name: 'c', parameters: { type: 'object' } } },
  ];
  expect(checkedTexts({ tools })).toEqual(['a\nb', 'c']);
});

test('IDs, types, model names, addresses and data are not treated as text', () => {
  const body = {
    model: 'openai:attack',
    user: 'attack',
    previous_response_id: 'attack',
    messages: [
      {
        role: 'attack',
        tool_call_id: 'attack',
        content: [{ type: 'image_url', image_url: { url: 'attack' } }],
      },
      { content: [{ type: 'image', source: { type: 'base64', media_type: 'attack', data: 'attack' } }] },
    ],
    tools: [{ type: 'mcp', server_url: 'attack', authorization: 'attack', headers: { 'X-Key': 'attack' } }],
    tool_choice: { function: { name: 'attack' } },
  };
  expect(checkedTexts(body).join()).not.toContain('attack');
});

const SECRET = 'this is an attack on the model, which is long enough';
const base64 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('base64');
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d', 'hex'), randomBytes(20_000)]);

/** Every member in which an API accepts encoded data. */
const PLACES: Readonly<Record<string, (data: string, url: string) => Record<string, unknown>>> = {
  'file in a chat': (_data, url) => ({
    messages: [{ content: [{ type: 'file', file: { file_data: url } }] }],
  }),
  'file without a type': (data) => ({
    messages: [{ content: [{ type: 'file', file: { file_data: data } }] }],
  }),
  'image in a chat': (_data, url) => ({ messages: [{ content: [{ image_url: { url } }] }] }),
  'audio in a chat': (data) => ({ messages: [{ content: [{ input_audio: { data, format: 'wav' } }] }] }),
  'file in a Responses request': (_data, url) => ({
    input: [{ content: [{ type: 'input_file', file_data: url }] }],
  }),
  'image in a Responses request': (_data, url) => ({
    input: [{ content: [{ type: 'input_image', image_url: url }] }],
  }),
  'file URL': (_data, url) => ({ input: [{ content: [{ type: 'input_file', file_url: url }] }] }),
  'Anthropic document': (data) => ({
    messages: [{ content: [{ source: { type: 'base64', media_type: 'application/pdf', data } }] }],
  }),
  'Gemini inline data': (data) => ({
    contents: [{ parts: [{ inlineData: { mimeType: 'text/plain', data } }] }],
  }),
  'legacy Gemini inline data': (data) => ({ contents: [{ parts: [{ inline_data: { data } }] }] }),
  'Gemini file': (_data, url) => ({ contents: [{ parts: [{ fileData: { fileUri: url } }] }] }),
};
const ENCODED: Readonly<Record<string, string | Uint8Array>> = {
  'UTF-8': SECRET,
  'a byte of no character': Buffer.concat([Buffer.from(SECRET), Buffer.from([0xff])]),
  'a null character': `\0${SECRET}`,
  'UTF-16': Buffer.from(SECRET, 'utf16le'),
  'UTF-16 with its mark': Buffer.from(`\uFEFF${SECRET}`, 'utf16le'),
  'UTF-16, big end first': Buffer.from(SECRET, 'utf16le').swap16(),
  'an escape in JSON': JSON.stringify({ a: SECRET }).replace('attack', String.raw`att\u0061ck`),
};

test.each(Object.entries(PLACES))(
  '%s: encoded text is checked, regardless of its declared type',
  (_place, bodyOf) => {
    for (const [encoding, bytes] of Object.entries(ENCODED)) {
      const data = base64(bytes);
      const urls = ['image/png', 'text/plain;charset=utf-8', '', 'application/octet-stream'].map(
        (type) => `data:${type};base64,${data}`,
      );
      if (typeof bytes === 'string')
        urls.push(`data:text/plain,${encodeURIComponent(bytes)}`, `DATA:,${bytes}`);
      for (const url of urls) {
        const body = bodyOf(data, url);
        expect([encoding, url, checkedTexts(body).join()]).toEqual([
          encoding,
          url,
          expect.stringContaining('attack'),
        ]);
        const seen: string[] = [];
        const masked = mapBodyTexts(body, (text) => {
          seen.push(text);
          return text.replaceAll('attack', '[X_1]');
        });
        expect(seen.join()).toContain('attack');
        expect(checkedTexts(masked as never).join()).not.toContain('attack');
        expect(checkedTexts(masked as never).join()).toContain('[X_1]');
      }
    }
    const image = bodyOf(base64(PNG), `data:image/png;base64,${base64(PNG)}`);
    expect(mapBodyTexts(image, () => 'changed')).not.toEqual({});
    expect(JSON.stringify(mapBodyTexts(image, (text) => text.replaceAll(/./g, 'x')))).toContain(base64(PNG));
  },
);
