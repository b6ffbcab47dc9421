import { expect, test } from 'vitest';
import { FURTHER_MODELS } from '#gateway/requests/completions/read-request.ts';
import { ENDPOINTS } from '#gateway/requests/completions/endpoints/index.ts';
import { chatBody, REPLY } from '../../test-provider.ts';
import { CHAT, errorIn, startFixtureGateway } from './fixture-gateway.ts';
import { MASTER } from './running-gateway.ts';

const { openai, anthropic, gateway, someone } = await startFixtureGateway();

test('a byte order mark before a request is not sent to the provider', async () => {
  const { secret } = await someone();
  const marked = `\uFEFF${JSON.stringify(chatBody('openai:good'))}`;
  const answer = await gateway.post(CHAT, marked, secret);
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: REPLY } }] });
  expect((await openai.last()).body).toMatch(/^\{/);
});

test('the error for a member lists all its allowed types', async () => {
  const { secret } = await someone();
  const answer = await gateway.post(CHAT, chatBody('openai:good', { stop: 5 }), secret);
  expect(await errorIn(answer)).toMatchObject({
    status: 422,
    param: 'stop',
    message: 'stop must be text, a list of texts, or null, not 5',
  });
});

test.each([
  ['"model":"openai:good","model":"openai:free"', 'model', /"model" twice/],
  [
    '"model":"openai:good","Model":"openai:free"',
    'Model',
    /has both "model" and "Model", and the provider might use a different one than the gateway\. Send only one\.$/,
  ],
  ['"model":"openai:good","\\u006dodel":"openai:free"', 'model', /"model" twice/],
  [
    '"model":"openai:good","max_tokens":1,"Max_Tokens":9',
    'Max_Tokens',
    /has both "max_tokens" and "Max_Tokens", and the provider might use a different one than the gateway\. Send only one\.$/,
  ],
])(
  'a request with a duplicate setting is rejected, whatever its size: %s',
  async (members, param, message) => {
    const { userId, secret } = await someone();
    const { messages } = chatBody('openai:good');
    for (const sent of [messages, longMessages]) {
      const body = `{${members},"messages":${JSON.stringify(sent)}}`;
      const answer = await gateway.post(CHAT, body, secret);
      expect(await errorIn(answer)).toMatchObject({
        status: 422,
        param,
        message: expect.stringMatching(message),
      });
    }
    expect(await gateway.usage(userId)).toEqual([]);
  },
);

/** Together, more than 256 KiB, so that they are parsed in parts. */
const longMessages = Array.from({ length: 20 }, (_, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: `${at} é字 "\ud83d\ude00" \\ ${'A long message. '.repeat(1000)}`,
}));

test('every byte of a large request except for the model reaches the provider', async () => {
  const { secret } = await someone();
  const messages = JSON.stringify(longMessages, null, 1).replace('A long', String.raw`\u0041 long`);
  const body = ` {"seed": 12345678901234567890 ,"model":"openai:good","messages": ${messages}, "stop":null}\n`;
  const answer = await gateway.post(CHAT, body, secret);
  expect(answer.status).toBe(200);
  expect((await openai.last()).body).toBe(body.replace('openai:good', 'good'));
});

test.each([
  [
    'a missing comma',
    (text: string) => text.replace('},{"role":"assistant"', '}{"role":"assistant"'),
    400,
    /^The body is not valid JSON: unexpected "\{" at line 1, column \d+\.$/,
  ],
  [
    'an item too many',
    (text: string) => text.replace(',{"role":"assistant"', ',,{"role":"assistant"'),
    400,
    /^The body is not valid JSON: unexpected character at an unknown position\.$/,
  ],
  [
    'a wrong type in the last message',
    (text: string) => text.replace(/"content":"19 /, '"content":5,"text":"19 '),
    422,
    /^messages\/19\/content must be text, a list of parts, or null, not 5$/,
  ],
  [
    'a name twice in the last message',
    (text: string) => text.replace(/"content":"19 /, '"content":"x","content":"19 '),
    422,
    /"content" twice/,
  ],
])('%s in a large request is rejected', async (_name, change, status, message) => {
  const { userId, secret } = await someone();
  const body = change(JSON.stringify({ ...chatBody('openai:good'), messages: longMessages }));
  const answer = await gateway.post(CHAT, body, secret);
  expect(await errorIn(answer)).toMatchObject({ status, message: expect.stringMatching(message) });
  expect(await gateway.usage(userId)).toEqual([]);
});

test('custom tool calls can be sent back and become function calls on other protocols', async () => {
  const { secret } = await someone();
  const call = { id: 'call_1', type: 'custom', custom: { name: 'patch', input: '*** Begin' } };
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'done' },
  ];
  expect((await gateway.post(CHAT, { model: 'openai:good', messages }, secret)).status).toBe(200);
  expect((await openai.last()).body).toContain(JSON.stringify(call));
  const translated = await gateway.post(CHAT, { model: 'anthropic:good', messages }, secret);
  expect(translated.status).toBe(200);
  expect(JSON.parse((await anthropic.last()).body)).toMatchObject({
    messages: [
      { role: 'user' },
      {
        content: [{ type: 'tool_use', id: 'call_1', name: 'patch', input: { input: '*** Begin' } }],
      },
      { content: [{ type: 'tool_result', tool_use_id: 'call_1' }] },
    ],
  });
});

test('member names in a request do not affect how other requests are parsed', async () => {
  const { secret } = await someone();
  const { messages } = chatBody('openai:good');
  const withMembers = (members: string): string =>
    `{"model":"openai:good","messages":${JSON.stringify(messages)},"max_tokens":1,${members}}`;
  await gateway.post(CHAT, withMembers(String.raw`"\\u006dax_t":1`), secret);
  const answer = await gateway.post(CHAT, withMembers(String.raw`"\u006dax_tokens":100000`), secret);
  expect(await errorIn(answer)).toMatchObject({
    status: 422,
    message: expect.stringMatching(/"max_tokens" twice/),
  });
});

test('an empty `user` counts as absent: it is ignored with a key and an error with the master key', async () => {
  const { userId, secret } = await someone();
  const asked = chatBody('openai:good', { user: '' });
  expect((await gateway.post(CHAT, asked, secret)).status).toBe(200);
  expect(await gateway.usage(userId)).toHaveLength(1);
  expect(await errorIn(await gateway.post(CHAT, asked, MASTER))).toMatchObject({ code: 'user_required' });
});

test('Retry-After does not exceed one day', async () => {
  const { secret } = await someone();
  const answer = await gateway.post(CHAT, chatBody('openai:rate-limited-for-ever'), secret);
  expect(await errorIn(answer)).toMatchObject({ status: 429 });
  expect(answer.headers.get('retry-after')).toBe('86400');
});

test('a malformed response is reported as an error of the provider instead of the gateway', async () => {
  const { secret } = await someone();
  const answer = await gateway.post(CHAT, chatBody('openai:odd-shape'), secret);
  expect(await errorIn(answer)).toMatchObject({ status: 502, code: 'provider_error' });
});

test('a malformed event is skipped, and the stream continues', async () => {
  const { secret } = await someone();
  const answer = await gateway.post(CHAT, chatBody('openai:odd-shape@2', { stream: true }), secret);
  const text = await answer.text();
  expect(text).not.toContain('error');
  expect(text).not.toContain('[null]');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});

test.each([CHAT, '/v1/messages', '/v1/responses', '/v1/embeddings', '/v1/classify'])(
  '%s: a model name must be short and valid Unicode',
  async (path) => {
    const { userId, secret } = await someone();
    const ask = async (model: string): Promise<Readonly<Record<string, unknown>>> =>
      errorIn(await gateway.post(path, { ...chatBody(model), max_tokens: 1, input: 'Hello' }, secret));
    expect(await ask(`openai:${'x'.repeat(250)}`)).toMatchObject({
      status: 422,
      param: 'model',
      message: 'model must have at most 256 characters, not 257',
    });
    for (const model of ['openai:\uD800', 'openai:x\uDFFFy']) {
      expect(await ask(model)).toMatchObject({
        status: 422,
        param: 'model',
        message: 'model must be valid Unicode; it contains an unpaired surrogate',
      });
    }
    expect(await gateway.usage(userId)).toEqual([]);
    expect(await ask(`nobody:${'🌍'.repeat(249)}`)).toMatchObject({ status: 400, code: 'model_not_found' });
  },
);

/** Every model route that reads JSON, and token counting. */
const ASKING = [
  ...Object.entries(ENDPOINTS).flatMap(([route, endpoint]) => ('fileField' in endpoint ? [] : [route])),
  '/v1/messages/count_tokens',
  '/v1/responses/input_tokens',
  '/v1beta/models/{model}:countTokens',
].map((route) => route.replace('{model}', 'openai:good'));

const MESSAGES = { messages: [{ role: 'user', content: 'x' }], max_tokens: 5 };
const TEXT = { input: 'x' };
const PROMPT = { prompt: 'x' };
const CONTENTS = { contents: [{ parts: [{ text: 'x' }] }] };
const CONTENT = { content: { parts: [{ text: 'x' }] } };
/** Required members in addition to the model, by the end of the path. */
const REQUIRED: readonly (readonly [end: string, body: object])[] = [
  ['/completions', { ...MESSAGES, ...PROMPT }],
  ['/messages', MESSAGES],
  ['/messages/count_tokens', MESSAGES],
  ['/responses', TEXT],
  ['/responses/input_tokens', TEXT],
  ['/embeddings', TEXT],
  ['/classify', TEXT],
  ['/moderations', TEXT],
  ['/rerank', { query: 'x', documents: ['x'] }],
  ['/images/generations', PROMPT],
  ['/audio/speech', { ...TEXT, voice: 'alloy' }],
  [':generateContent', CONTENTS],
  [':streamGenerateContent', CONTENTS],
  [':countTokens', CONTENTS],
  [':embedContent', CONTENT],
  [':batchEmbedContents', { requests: [{ model: 'models/openai:good', ...CONTENT }] }],
];

test.each(ASKING)(
  '%s: additional models are rejected because they would bypass permissions and prices',
  async (path) => {
    const { userId, secret } = await someone();
    const [, body] = REQUIRED.find(([end]) => path.endsWith(end)) ?? [];
    expect(body, `a request of ${path}`).toBeDefined();
    for (const name of FURTHER_MODELS) {
      const request = { ...(!path.includes('/models/') && { model: 'openai:good' }), ...body };
      const answer = await gateway.post(path, { ...request, [name]: ['openai:other'] }, secret);
      expect(answer.status, name).toBe(422);
      expect(await answer.text()).toContain(`${name} lists more models`);
    }
    expect(await gateway.usage(userId)).toEqual([]);
  },
);
