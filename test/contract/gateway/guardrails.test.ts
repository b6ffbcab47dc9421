import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect } from 'vitest';
import { builtExecutable } from '../../helpers/built.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { contentOf } from '../../runtime/targets/gateway/test-provider.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = shareGateways();
const [openai, anthropic, gemini] = await Promise.all([
  startFixture('openai'),
  startFixture('anthropic'),
  startFixture('gemini'),
]);
const CHAT = '/v1/chat/completions';
const SECRET = 'Anna Smith Peter Weber met in Paris';
const configWith = (guardrails: object): object => ({
  providers: providersFor({ openai, anthropic }),
  encoders: { ner: { path: builtExecutable('ner') } },
  guardrails,
});
const MASKING = configWith({
  profiles: { pii: { encoder: 'ner', entities: ['PER', 'LOC'], threshold: 0.8, timeout: '60s' } },
  policy: [{ profile: 'pii' }],
});

verifiesGateway('gateway:guardrails:mask', async (arm) => {
  const api = await start(arm, { config: MASKING });
  const key = asKey(await createKey(api, { user_id: 'ada' }));
  const messages = [{ role: 'user', content: SECRET }];
  const whole = await api.post(CHAT, chatWith('openai:good', { messages }), key);
  expect(whole.status, whole.text).toBe(200);
  expect(whole.body.choices[0].message.content).toContain(SECRET);
  expect(whole.headers.get('x-gateway-guardrails')).toContain('"valid":true');
  const { body: sent } = await openai.last();
  expect(sent).toContain('[PER_1] [PER_2] met in [LOC_1]');
  expect(sent).not.toMatch(/Anna|Weber|Paris/);

  for (const model of ['openai:good', 'anthropic:good']) {
    const chat = await api.post(CHAT, chatWith(model, { messages, stream: true }), key);
    expect(contentOf(chat.text), model).toContain(SECRET);
    const body = { model, messages, max_tokens: 99 };
    const message = await api.post('/v1/messages', body, key);
    expect(message.body.content[0].text, model).toContain(SECRET);
    const stream = await api.post('/v1/messages', { ...body, stream: true }, key);
    const deltas = [...stream.text.matchAll(/"text_delta","text":("(?:[^"\\]|\\.)*")/g)];
    const text = deltas.map(([, json = '""']) => JSON.parse(json) as string).join('');
    expect(text, model).toContain(SECRET);
  }
  const response = await api.post('/v1/responses', { model: 'openai:good', input: SECRET }, key);
  expect(response.text).toContain(SECRET);
  expect((await openai.last()).body).not.toContain('Anna');
});

verifiesGateway('gateway:guardrails:every-way', async (arm) => {
  const guardrails = {
    profiles: {
      account: { patterns: { ACCOUNT: 'ACC-\\d{6}' }, action: 'mask' },
      secret: { patterns: { SECRET: 'TOPSECRET' } },
    },
    policy: [{ profile: 'account' }, { profile: 'secret' }],
  };
  const config = { providers: providersFor({ openai, anthropic }), guardrails };
  const api = await start(arm, { config });
  const key = asKey(await createKey(api, { user_id: 'ada' }));
  const upload = async (content: string) => {
    const body = { model: 'openai:good', messages: [{ role: 'user', content }] };
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set(
      'file',
      new File([JSON.stringify({ custom_id: '1', method: 'POST', url: CHAT, body })], 'b.jsonl'),
    );
    return await api.ask('/v1/files', { method: 'POST', headers: key, body: form });
  };
  expect((await upload('I have ACC-123456.')).status).toBe(200);
  expect((await openai.last()).body).toContain('I have [ACCOUNT_1].');
  const refused = await upload('TOPSECRET');
  expect([refused.status, refused.body.error.message]).toEqual([
    403,
    expect.stringContaining('Line 1 of the batch file: Request blocked by guardrail policy'),
  ]);
  const count = { model: 'openai:good', input: 'I have ACC-123456.' };
  expect((await api.post('/v1/responses/input_tokens', count, key)).status).toBe(200);
  expect((await openai.last()).body).toContain('I have [ACCOUNT_1].');
  const hits = await api.get('/v1/guardrail-hits?mode=mask', AS_MASTER);
  expect(hits.body.items[0]).toMatchObject({ mode: 'mask', explanation: 'masked: ACCOUNT 1' });
});

const MASKED_OUTPUT = {
  ...configWith({
    profiles: {
      pii: { encoder: 'ner', entities: ['PER', 'LOC'], threshold: 0.8, timeout: '60s' },
      cities: { patterns: { CITY: 'Zürich|Bern[a-z]*' }, action: 'mask' },
    },
    policy: [
      { profile: 'pii', on: 'output' },
      { profile: 'cities', on: 'both', restore: false },
    ],
  }),
  providers: providersFor({ openai, anthropic, gemini }),
};
const ASKED = `${SECRET}. Zürich, Bernau`;
/**
 * The stand-ins return a greeting, in which the small model finds a name, and repeat the question, in which cities
 * are masked.
 */
const MASKED_ANSWER = '[PER_2] [PER_3] met in [LOC_1]. [CITY_1], [CITY_2]';

verifiesGateway('gateway:guardrails:mask-output', async (arm) => {
  const api = await start(arm, { config: MASKED_OUTPUT });
  const apiKey = await createKey(api, { user_id: 'ada' });
  const openaiClient = new OpenAI({ baseURL: `${api.url}/v1`, apiKey, maxRetries: 0 });
  const anthropicClient = new Anthropic({ baseURL: api.url, apiKey, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: ASKED }];
  const answers = async (model: string): Promise<readonly (string | null | undefined)[]> => {
    const chat = await openaiClient.chat.completions.create({ model, messages });
    const chatStream = openaiClient.chat.completions.stream({ model, messages });
    const response = await openaiClient.responses.create({ model, input: ASKED });
    const responseStream = openaiClient.responses.stream({ model, input: ASKED });
    let said = '';
    responseStream.on('response.output_text.delta', ({ delta }) => (said += delta));
    const asked = { model, messages, max_tokens: 99 };
    const message = await anthropicClient.messages.create(asked);
    return [
      chat.choices[0]?.message.content,
      (await chatStream.finalChatCompletion()).choices[0]?.message.content,
      response.output_text,
      (await responseStream.finalResponse()).output_text,
      said,
      message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      await anthropicClient.messages.stream(asked).finalText(),
    ];
  };
  for (const model of ['openai:good', 'anthropic:good', 'gemini:good'])
    for (const [place, answer] of (await answers(model)).entries())
      expect(answer, `${model} ${place}`).toMatch(new RegExp(`${RegExp.escape(MASKED_ANSWER)}$`));
  expect((await openai.last()).body).toContain('[CITY_1], [CITY_2]');

  const contents = [{ role: 'user', parts: [{ text: ASKED }] }];
  for (const method of ['generateContent', 'streamGenerateContent?alt=sse']) {
    const answer = await api.post(`/v1beta/models/gemini:good:${method}`, { contents }, asKey(apiKey));
    const texts = [...answer.text.matchAll(/"text": ?("(?:[^"\\]|\\.)*")/g)];
    expect(texts.map(([, json = '""']) => JSON.parse(json) as string).join(''), method).toContain(
      MASKED_ANSWER,
    );
  }

  const tools = [
    { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } },
  ];
  for (const model of ['openai:tools', 'anthropic:tools', 'gemini:tools']) {
    const called = await openaiClient.chat.completions
      .stream({ model, messages, tools })
      .finalChatCompletion();
    const [call] = called.choices[0]?.message.tool_calls ?? [];
    const args = call?.type === 'function' ? call.function : undefined;
    expect([args?.name, JSON.parse(args?.arguments ?? '')]).toEqual([
      'weather',
      // The small model also finds names in the city.
      { city: expect.stringMatching(/^\[(?:CITY|PER)_1\]((?!rich).)*$/u), days: 3 },
    ]);
  }
});

const FORMS = configWith({
  profiles: {
    secrets: { patterns: { IBAN: { pattern: String.raw`[a-z]{2}\d{2}( ?\d{4}){2,7}`, ignore_case: true } } },
    form: { json_schema: { type: 'object', required: ['n'] }, retries: 1 },
  },
  policy: [{ profile: 'secrets' }],
});

verifiesGateway('gateway:guardrails:kinds', async (arm) => {
  const api = await start(arm, { config: FORMS });
  const key = asKey(await createKey(api, { user_id: 'eve' }));
  const ask = (content: string, more = {}) =>
    api.post(CHAT, chatWith('openai:good', { messages: [{ role: 'user', content }], ...more }), key);
  const refused = await ask('pay to DE89 3704 0044 0532 0130 00');
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'guardrail_violation' } } });
  expect(refused.text).toContain('secrets (IBAN 1)');

  const guardrails = [{ profile: 'form', on: 'output' }];
  expect((await ask('{"n": 1}', { guardrails })).status).toBe(200);
  const before = await openai.counts();
  const wrong = await ask('no JSON', { guardrails });
  expect(wrong).toMatchObject({ status: 403 });
  expect(wrong.text).toContain('form (the response is not JSON)');
  const after = await openai.counts();
  expect(Number(after['requests']) - Number(before['requests'])).toBe(2);
  const { body } = await api.get('/v1/usage?user_id=eve', AS_MASTER);
  const [billed, once] = body.logs;
  expect(billed).toMatchObject({ status: 'error', prompt_tokens: 2 * once.prompt_tokens, status_code: 403 });
  expect(billed.completion_tokens).toBe(2 * once.completion_tokens);
  const stream = await ask('no JSON', { guardrails, stream: true });
  expect(stream.text).toContain('guardrail_violation');
  expect(stream.text).not.toContain('no JSON');
});
