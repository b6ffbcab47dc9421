import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { errorIn } from './fixture-gateway.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';
import { startScripted } from '../../scripted-provider.ts';

/** Costs that LiteLLM computes for the same responses. */
const GOLDEN = JSON.parse(readFileSync('fixtures/golden/unit-costs.json', 'utf8')) as Record<string, number>;

const scripted = await startScripted();
const at = scripted.provider;
const openAiLike = (name: string) => instanceOf('openai', at, { name, listedAs: name });
const gateway = await runGateway({
  models: {
    providers: [
      instanceOf('openai', at, { listedAs: 'openai', dialect: { hasResponses: true } }),
      instanceOf('anthropic', at, { listedAs: 'anthropic' }),
      instanceOf('gemini', at, { listedAs: 'gemini' }),
      openAiLike('azure'),
      openAiLike('azure_ai'),
      openAiLike('cohere'),
    ],
    pricing: [
      { ...priced('openai:own', 1, 2), units: { webSearch: 500_000_000n, image: 40_000_000n } },
      priced('openai:plain', 1, 2),
    ],
  },
});
afterAll(() => gateway.stop());
let users = 0;

/** The cost of one request, and its usage row. */
async function costOf(path: string, body: object, answer: unknown) {
  scripted.says(answer);
  users += 1;
  const user = `user-${users}`;
  await gateway.user(user);
  const secret = await gateway.key({ user_id: user });
  const response = await gateway.post(path, body, secret);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const [row] = (await gateway.usage(user)) as unknown as Record<string, unknown>[];
  return { cost: row?.['cost'], units: row?.['units'], estimated: row?.['usage_estimated'] };
}

const USAGE = { input_tokens: 1000, output_tokens: 500, server_tool_use: { web_search_requests: 3 } };
const MESSAGES = [{ role: 'user', content: 'Hello' }];
const claude = (usage: object) => ({
  id: 'x',
  type: 'message',
  role: 'assistant',
  model: 'x',
  content: [{ type: 'text', text: 'x' }],
  stop_reason: 'end_turn',
  usage,
});
const claudeStream = [
  { type: 'message_start', message: claude({ input_tokens: 1000, output_tokens: 1 }) },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: USAGE },
  { type: 'message_stop' },
];

test.each([
  ['/v1/messages', { max_tokens: 500, messages: MESSAGES }, claude(USAGE)],
  ['/v1/messages', { max_tokens: 500, messages: MESSAGES, stream: true }, claudeStream],
  ['/v1/chat/completions', { messages: MESSAGES }, claude(USAGE)],
  ['/v1/chat/completions', { messages: MESSAGES, stream: true }, claudeStream],
])('%s: Anthropic web searches are billed', async (path, body, answer) => {
  const model = 'anthropic:claude-sonnet-4-5';
  const tools = path === '/v1/messages' && { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
  expect(await costOf(path, { model, ...body, ...tools }, answer)).toEqual({
    cost: GOLDEN[model],
    units: { web_searches: 3 },
    estimated: false,
  });
});

test.each([
  ['gemini:gemini-2.5-flash', false],
  ['gemini:gemini-3-flash-preview', false],
  ['gemini:gemini-3-flash-preview', true],
])('web searches by %s are billed per request or per query', async (model, stream) => {
  const part = (text: string, more: object = {}) => ({
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [{ text }] },
        groundingMetadata: { webSearchQueries: ['a', 'b', 'c'] },
        ...more,
      },
    ],
    usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 500, totalTokenCount: 1500 },
    modelVersion: 'x',
  });
  const whole = part('x', { finishReason: 'STOP' });
  const answer = stream ? [part('x'), whole] : whole;
  expect(await costOf('/v1/chat/completions', { model, messages: MESSAGES, stream }, answer)).toMatchObject({
    cost: GOLDEN[model],
    units: { web_searches: 3 },
  });
});

test.each([
  ['openai:gpt-image-1', {}],
  ['openai:gpt-image-1.5', {}],
  ['azure_ai:flux-1.1-pro', {}],
  ['azure:dall-e-3', { size: '1024x1792', quality: 'hd' }],
])('images from %s are billed by tokens or per image', async (model, body) => {
  const usage = {
    input_tokens: 100,
    input_tokens_details: { image_tokens: 40, text_tokens: 60 },
    output_tokens: 4160,
    total_tokens: 4260,
  };
  const isByTokens = model.startsWith('openai');
  const answer = { created: 1, data: [{ url: 'x' }, { url: 'y' }], ...(isByTokens && { usage }) };
  expect(await costOf('/v1/images/generations', { model, prompt: 'x', n: 2, ...body }, answer)).toMatchObject(
    {
      cost: GOLDEN[model],
      units: { images: 2 },
    },
  );
});

test("a reranker's search units are billed", async () => {
  const model = 'cohere:rerank-v3.5';
  const results = [{ index: 0, relevance_score: 1 }];
  const answer = { id: 'x', results, meta: { billed_units: { search_units: 3 } } };
  const body = { model, query: 'x', documents: ['a'] };
  expect(await costOf('/v1/rerank', body, answer)).toMatchObject({
    cost: GOLDEN[model],
    units: { queries: 3 },
  });
});

test('web searches in the Responses API are billed per search item, or once per response for models that always search', async () => {
  const search = (type: string) => ({
    type: 'web_search_call',
    id: type,
    status: 'completed',
    action: { type },
  });
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] };
  const output = [search('search'), search('open_page'), search('search'), message];
  const usage = { input_tokens: 1000, output_tokens: 500 };
  const answer = { id: 'x', object: 'response', created_at: 1, model: 'x', output, usage };
  const request = { model: 'openai:own', input: 'x', tools: [{ type: 'web_search' }] };
  expect(await costOf('/v1/responses', request, answer)).toMatchObject({
    cost: 1.002,
    units: { web_searches: 2 },
  });

  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }];
  const counts = { prompt_tokens: 1000, completion_tokens: 500 };
  const chat = { id: 'x', object: 'chat.completion', created: 1, model: 'x', choices, usage: counts };
  const searching = { model: 'openai:own', messages: MESSAGES, web_search_options: {} };
  expect(await costOf('/v1/chat/completions', searching, chat)).toMatchObject({ cost: 0.502 });
  // A custom price has only the prices that it sets.
  expect(await costOf('/v1/chat/completions', { ...searching, model: 'openai:plain' }, chat)).toMatchObject({
    cost: 0.002,
    units: { web_searches: 1 },
  });
});

test('a reservation includes the maximum number of searches and images of a request', async () => {
  const { budget_id: id } = await gateway.admin('POST', '/v1/budgets', { max_budget: 0.1 });
  await gateway.user('poor', { budget_id: id });
  const secret = await gateway.key({ user_id: 'poor' });
  const refused = async (path: string, body: object) =>
    await errorIn(await gateway.post(path, { model: 'openai:own', ...body }, secret));
  const tools = [{ type: 'web_search', max_uses: 2 }];
  expect(await refused('/v1/responses', { input: 'x', max_output_tokens: 1, tools })).toMatchObject({
    code: 'estimate_exceeds_budget',
    message: expect.stringMatching(/can cost up to \$1\.0000/),
  });
  const images = { prompt: 'x', n: 3 };
  expect(await refused('/v1/images/generations', images)).toMatchObject({ code: 'estimate_exceeds_budget' });
});
