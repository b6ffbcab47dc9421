import { afterAll, describe, expect, test } from 'vitest';
import type { FixtureWire } from '../../fixture-provider.ts';
import { eventsOf, REPLY } from '../../test-provider.ts';
import { startThree, TYPES, USAGE } from '../../three-providers.ts';
import { errorIn } from './fixture-gateway.ts';
import { instanceOf, MASTER, priced, runGateway } from './running-gateway.ts';

const { fixtures } = await startThree();
const gateway = await runGateway({
  models: {
    providers: TYPES.map((type) => instanceOf(type, fixtures[type])),
    aliases: [{ name: 'mine', targets: [{ model: 'gemini:good' }] }],
    pricing: TYPES.flatMap((type) =>
      ['good', 'error-later', 'fails-500'].map((model) => priced(`${type}:${model}`, 10, 30)),
    ),
  },
});
afterAll(() => gateway.stop());
await gateway.user('ann');
const secret = await gateway.key({ user_id: 'ann', budget: { max_budget: 5 } });

const rowsOf = async () => await gateway.usage('ann');
const bodyOf = async (type: FixtureWire): Promise<Record<string, unknown>> =>
  JSON.parse((await fixtures[type].last()).body) as Record<string, unknown>;
const costOf = (type: FixtureWire): number =>
  (USAGE[type].promptTokens * 10 + USAGE[type].completionTokens * 30) / 1e6;

describe('Gemini API', () => {
  const PROMPT = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
  const WEATHER = {
    tools: [
      {
        functionDeclarations: [
          {
            name: 'weather',
            description: 'd',
            parameters: { type: 'OBJECT', properties: { city: { type: 'STRING', nullable: true } } },
          },
        ],
      },
    ],
  };
  const ask = (model: string, body: object = PROMPT, stream = false): Promise<Response> =>
    fetch(
      `${gateway.url}/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      {
        method: 'POST',
        headers: { 'x-goog-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      },
    );
  interface Generated {
    readonly candidates?: { content: { parts: Record<string, unknown>[] }; finishReason?: string }[];
    readonly usageMetadata?: Record<string, number>;
    readonly modelVersion?: string;
  }
  const partsOf = (all: readonly Generated[]): Record<string, unknown>[] =>
    all.flatMap(({ candidates = [] }) => candidates.flatMap(({ content }) => content.parts));
  const textOf = (all: readonly Generated[]): string =>
    partsOf(all)
      .map(({ text }) => (typeof text === 'string' ? text : ''))
      .join('');
  const eventsIn = async (answer: Response): Promise<Generated[]> =>
    eventsOf((await answer.text()).replaceAll('\r\n', '\n')).map(([, data]) => JSON.parse(data) as Generated);

  test.each(TYPES)('returns responses, streams and function calls from %s, each billed', async (type) => {
    const before = (await rowsOf()).length;
    const whole = (await (await ask(`${type}:good`)).json()) as Generated;
    expect([textOf([whole]), whole.candidates?.[0]?.finishReason]).toEqual([REPLY, 'STOP']);
    const { promptTokens, completionTokens } = USAGE[type];
    expect(whole.usageMetadata).toMatchObject({
      promptTokenCount: promptTokens,
      totalTokenCount: promptTokens + completionTokens,
    });

    const events = await eventsIn(await ask(`${type}:good`, PROMPT, true));
    expect([textOf(events), events.length > 3]).toEqual([REPLY, true]);
    expect(events.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: promptTokens },
    });

    for (const stream of [false, true]) {
      const answer = await ask(`${type}:good`, { ...PROMPT, ...WEATHER }, stream);
      const all = stream ? await eventsIn(answer) : [(await answer.json()) as Generated];
      const calls = partsOf(all).filter((part) => part['functionCall']);
      expect(calls).toMatchObject([{ functionCall: { name: 'weather', args: { days: 3 } } }]);
    }
    const rows = (await rowsOf()).slice(before);
    expect(rows.map(({ cost }) => cost)).toEqual([1, 2, 3, 4].map(() => costOf(type)));
    expect(new Set(rows.map(({ endpoint }) => endpoint))).toEqual(
      new Set(['/v1beta/models/{model}:generateContent', '/v1beta/models/{model}:streamGenerateContent']),
    );
  });

  test.each(TYPES)('returns a stream of %s without alt=sse as a JSON array', async (type) => {
    const stream = async (model: string): Promise<[string | null, Record<string, unknown>[]]> => {
      const answer = await fetch(`${gateway.url}/v1beta/models/${model}:streamGenerateContent`, {
        method: 'POST',
        headers: { 'x-goog-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify(PROMPT),
      });
      return [answer.headers.get('content-type'), JSON.parse(await answer.text())];
    };
    const [contentType, items] = await stream(`${type}:good`);
    expect([contentType, textOf(items)]).toEqual(['application/json; charset=utf-8', REPLY]);
    expect(items).toEqual(await eventsIn(await ask(`${type}:good`, PROMPT, true)));
    const [, broken] = await stream(`${type}:error-later`);
    expect(broken.at(-1)).toMatchObject({ error: { status: 'UNAVAILABLE' } });
  });

  test("converts function results to each provider's format", async () => {
    const conversation = {
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      contents: [
        ...PROMPT.contents,
        { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Bonn' } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { result: 'sunny' } } }] },
      ],
      ...WEATHER,
      generationConfig: { maxOutputTokens: 50, temperature: 0.5, stopSequences: ['.'] },
      safetySettings: [],
    };
    for (const type of TYPES) expect((await ask(`${type}:good`, conversation)).status).toBe(200);
    expect(await bodyOf('openai')).toMatchObject({
      model: 'good',
      max_tokens: 50,
      stop: ['.'],
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Bonn"}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      ],
      tools: [
        { function: { parameters: { type: 'object', properties: { city: { type: ['string', 'null'] } } } } },
      ],
    });
    expect(await bodyOf('anthropic')).toMatchObject({
      system: 'Be kind.',
      messages: [
        {},
        { content: [{ type: 'tool_use' }] },
        { content: [{ type: 'tool_result', tool_use_id: 'call_1' }] },
      ],
    });
    // Gemini receives the client's body, except for parameters from the path.
    expect((await fixtures.gemini.last()).body).toBe(JSON.stringify(conversation));
  });

  test('accepts the key in the query, aliases and a user for the master key', async () => {
    const url = `${gateway.url}/v1beta/models/mine:generateContent`;
    const headers = { 'content-type': 'application/json' };
    const post = (query: string, body: object, more: object = {}): Promise<Response> =>
      fetch(url + query, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
    const answer = await post(`?key=${secret}`, PROMPT);
    expect(await answer.json()).toMatchObject({ modelVersion: 'mine' });
    expect(gateway.logged.join('\n')).not.toContain(secret);
    expect((await post('', { ...PROMPT, user: 'ann' }, { authorization: `Bearer ${MASTER}` })).status).toBe(
      200,
    );
    const refused = await post('', PROMPT, { authorization: `Bearer ${MASTER}` });
    expect(await refused.json()).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'user_required' }] },
    });
    expect((await post('', PROMPT)).status).toBe(401);
    const unknown = await ask('gemini:good'.replace('gemini', 'nobody'));
    expect(await unknown.json()).toMatchObject({ error: { details: [{ reason: 'model_not_found' }] } });
  });

  test('counts tokens, lists models and returns 404 for unknown models', async () => {
    const get = (path: string): Promise<Response> =>
      fetch(`${gateway.url}/v1beta/models${path}`, { headers: { 'x-goog-api-key': secret } });
    const count = (model: string, body: object): Promise<Response> =>
      gateway.post(`/v1beta/models/${model}:countTokens`, body, secret);
    expect(await (await count('gemini:good', PROMPT)).json()).toEqual({ totalTokens: 17 });
    expect(await (await count('anthropic:good', { generateContentRequest: PROMPT })).json()).toEqual({
      totalTokens: 25,
    });
    expect(await (await count('openai:good', PROMPT)).json()).toEqual({ totalTokens: 2 });
    const { models } = (await (await get('')).json()) as { models: { name: string }[] };
    expect(models.map(({ name }) => name)).toContain('models/gemini:good');
    expect(await (await get('/gemini:good')).json()).toMatchObject({ name: 'models/gemini:good' });
    expect((await get('/nothing')).status).toBe(404);
    expect((await gateway.post('/v1beta/models/gemini:good:makeCoffee', PROMPT, secret)).status).toBe(404);
  });

  test("ends a broken stream with an error in Google's format", async () => {
    for (const type of TYPES) {
      const events = await eventsIn(await ask(`${type}:error-later`, PROMPT, true));
      expect(events.at(-1)).toMatchObject({ error: { code: 502, status: 'UNAVAILABLE' } });
    }
    expect((await ask('gemini:fails-500')).status).toBe(502);
  });
});

describe('/v1/completions', () => {
  const ask = (model: string, more: object = {}): Promise<Response> =>
    gateway.post('/v1/completions', { model, prompt: 'Hello', max_tokens: 50, ...more }, secret);

  test.each(TYPES)('returns a response and a stream from %s, each billed', async (type) => {
    const before = (await rowsOf()).length;
    const whole = await ask(`${type}:good`);
    expect(await whole.json()).toMatchObject({
      object: 'text_completion',
      choices: [{ text: REPLY, finish_reason: 'stop' }],
      usage: { prompt_tokens: USAGE[type].promptTokens },
    });
    const text = await (await ask(`${type}:good`, { stream: true })).text();
    const data = eventsOf(text).map(([, one]) => one);
    const chunks = data.slice(0, -1).map((one) => JSON.parse(one) as { choices: { text: string }[] });
    expect(data.at(-1)).toBe('[DONE]');
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(REPLY);
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true);
    expect((await rowsOf()).slice(before)).toMatchObject([
      { endpoint: '/v1/completions', cost: costOf(type), usage_estimated: false },
      { cost: costOf(type), usage_estimated: false },
    ]);
  });

  test('rejects features that other providers do not support', async () => {
    for (const more of [{ suffix: 'x' }, { prompt: ['a', 'b'] }, { logprobs: 2 }, { best_of: 3 }])
      expect(await errorIn(await ask('anthropic:good', more))).toMatchObject({
        status: 400,
        code: 'unsupported',
      });
  });
});

test('moderations, rerankings and images pass through and are priced', async () => {
  const before = (await rowsOf()).length;
  const post = async (path: string, body: object): Promise<unknown> =>
    (await gateway.post(path, body, secret)).json();
  const model = 'openai:good';
  expect(await post('/v1/moderations', { model, input: ['an attack', 'Hello'] })).toMatchObject({
    results: [{ flagged: true }, { flagged: false }],
  });
  const documents = ['a', { text: 'longer' }];
  expect(await post('/v1/rerank', { model, query: 'Hello', documents, top_n: 1 })).toMatchObject({
    results: [{ index: 1 }],
  });
  expect(await post('/v1/images/generations', { model, prompt: 'Hello', n: 2 })).toMatchObject({
    data: [{}, {}],
  });
  expect((await rowsOf()).slice(before)).toMatchObject([
    // Without a token count from the provider: 14 characters.
    { endpoint: '/v1/moderations', prompt_tokens: 4, usage_estimated: true, cost: (4 * 10) / 1e6 },
    { endpoint: '/v1/rerank', prompt_tokens: 14, usage_estimated: false, cost: (14 * 10) / 1e6 },
    { endpoint: '/v1/images/generations', completion_tokens: 2112, cost: (12 * 10 + 2112 * 30) / 1e6 },
  ]);
  const refused = await gateway.post(
    '/v1/rerank',
    { model: 'gemini:good', query: 'x', documents: ['a'] },
    secret,
  );
  expect(await errorIn(refused)).toMatchObject({ status: 400, code: 'unsupported' });
  const unpriced = await gateway.post('/v1/moderations', { model: 'openai:other', input: 'x' }, secret);
  expect(await errorIn(unpriced)).toMatchObject({ status: 402, code: 'pricing_required' });
});
