import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import type { GuardrailProfile } from '#gateway/requests/guardrails/guardrail.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { NO_PROMPTS } from '#gateway/providers/shapes/policies.ts';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import { builtExecutable } from '#test/helpers/built.ts';
import { describeDatabases } from '../databases.ts';
import { startScripted } from '../scripted-provider.ts';
import { providerOf } from '../test-provider.ts';
import { gatewayOn } from './open-gateway.ts';
import { type Headers, keysOf } from './tenants/keys-of.ts';

const scripted = await startScripted();
const options = { clock: systemClock, random: () => 0, onLine: () => undefined };
const encoderOf = (name: string) =>
  openProvider({ name, type: 'encoder', path: builtExecutable(name) }, options);
const encoders = [encoderOf('ner'), encoderOf('embedder')];
const gone = openProvider(
  { name: 'gone', type: 'encoder', baseUrl: 'http://127.0.0.1:1', local: true },
  options,
);
afterAll(() => Promise.all([...encoders, gone].map((one) => one.close())));

const entities = (name: string, encoder: string): GuardrailProfile => ({
  name,
  kind: 'entities',
  encoder,
  entities: ['PER', 'LOC'],
  threshold: 0.8,
  action: 'mask',
  timeoutMs: 60_000,
});
const PROFILES = [entities('pii', 'ner'), entities('broken', 'gone')];
const PATH = '/api/v1/datasets/from-requests';
const NAMES = 'Anna Smith Peter Weber met in Paris';

describeDatabases((database) => {
  const start = async () => {
    const { clock, ...state } = await database.start();
    const gateway = gatewayOn(state, clock, {
      providers: [providerOf('openai', scripted.provider), ...encoders, gone],
      prompts: { ...NO_PROMPTS, isDefault: true },
      guardrails: PROFILES,
    });
    const { issued, session } = keysOf(gateway);
    const ada = await issued({ user_id: 'ada' });
    const send = async (id: string, body: object, path = '/v1/chat/completions', more: Headers = {}) => {
      clock.advance(1000);
      const answer = await gateway.ask(
        'POST',
        path,
        { model: 'openai:m', ...body },
        {
          ...ada,
          ...more,
          'X-Request-Id': id,
        },
      );
      await gateway.promptsWritten();
      return answer;
    };
    const say = (content: string) =>
      scripted.says({
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      });
    const judge = async (request_id: string, body: object) =>
      expect((await gateway.ask('POST', '/v1/feedback', { request_id, ...body })).status).toBe(200);
    const create = async (body: object) => await gateway.ask('POST', PATH, body);
    const rowsOf = async (id: string): Promise<RowCells[]> => {
      const rows: RowCells[] = [];
      for await (const chunk of gateway.context.jobs.datasets.rows(id)) rows.push(...chunk.rows);
      return rows;
    };
    const found = async (query: string): Promise<string[]> =>
      (await gateway.ask('GET', `/v1/admin/prompts?${query}`)).body.items.map(
        ({ request_id: id }: { request_id: string }) => id,
      );
    return { gateway, ada, issued, session, send, say, judge, create, rowsOf, found };
  };
  const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });

  test('personal data has the same placeholder in the input, the response and the feedback of a row', async () => {
    const { gateway, send, say, judge, create, rowsOf } = await start();
    say(`${NAMES}, indeed.`);
    const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object' } } }];
    await send('r-1', {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: NAMES }] },
      ],
      tools,
    });
    await judge('r-1', { thumb: 'up', score: 4, label: 'good', text: `${NAMES}!` });
    const { status, body, headers } = await create({
      filename: 'real.jsonl',
      tags: ['real'],
      redact: ['pii'],
    });
    expect([status, body.counts]).toEqual([
      201,
      {
        matched: 1,
        read: 1,
        unreadable: 0,
        without_ground_truth: 0,
        redaction_failed: 0,
        duplicates: 0,
        rows: 1,
      },
    ]);
    expect(headers.get('Location')).toBe(`/api/v1/datasets/${body.dataset.id}`);
    expect(body.dataset).toMatchObject({
      filename: 'real.jsonl',
      tags: ['real'],
      source: 'requests',
      row_count: 1,
    });
    const [row] = await rowsOf(body.dataset.id);
    const hidden = '[PER_1] [PER_2] met in [LOC_1]';
    expect(row).toEqual({
      examples: hidden,
      ground_truth: `${hidden}, indeed.`,
      request_id: 'r-1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: hidden },
      ],
      tools,
      answer: `${hidden}, indeed.`,
      thumb: 'up',
      score: 4,
      label: 'good',
      text: `${hidden}!`,
      at: expect.stringMatching(/Z$/),
      model: 'openai:m',
      endpoint: '/v1/chat/completions',
    });
    const { body: audit } = await gateway.ask('GET', '/v1/admin/audit?action=prompt.read');
    expect(audit.items).toMatchObject([{ after: { purpose: 'dataset', limit: 1000 } }]);
  });

  test('nothing is stored unredacted: if the encoder is unavailable, requests are dropped and counted', async () => {
    const { gateway, send, say, create } = await start();
    say('Hello');
    await send('r-1', user(NAMES));
    const dry = await create({ redact: ['pii', 'broken'], dry_run: true });
    expect(dry.body).toMatchObject({ dataset: null, counts: { matched: 1, redaction_failed: 1, rows: 0 } });
    const { status, text } = await create({ redact: ['broken'] });
    expect([status, text]).toEqual([502, expect.stringContaining('could not be removed from any of 1')]);
    expect((await create({ redact: ['pi'] })).text).toContain('did you mean `pii`?');
    const listed = await gateway.ask('GET', '/api/v1/datasets');
    expect(listed.body.total).toBe(0);
    expect(await gateway.context.state.promptLog.count({})).toBe(1);
  });

  test('of several similar requests, the newest is kept, with the same result each time', async () => {
    const { send, say, create, rowsOf } = await start();
    say('Hello');
    const texts = [
      'I want my money back.',
      'I want my money back!',
      'Anna lives in Berlin.',
      'I want my money back.',
    ];
    for (const [at, content] of texts.entries()) await send(`r-${at}`, user(content));
    const deduplicate = { model: 'embedder', threshold: 0.9999 };
    const ids = [];
    for (let run = 0; run < 2; run += 1) {
      const { body } = await create({ deduplicate, ground_truth: 'answer', fields: [] });
      expect(body.counts).toMatchObject({ matched: 4, duplicates: expect.any(Number) });
      const rows = await rowsOf(body.dataset.id);
      expect(rows[0]).toEqual({ examples: texts[3], ground_truth: 'Hello', request_id: 'r-3' });
      ids.push(rows.map((row) => row['request_id']));
    }
    expect(ids[0]).toEqual(ids[1]);
    expect(ids[0]).not.toContain('r-0');
    const looser = await create({
      deduplicate: { model: 'encoder:embedder', threshold: 0.01 },
      dry_run: true,
    });
    expect(looser.body.counts.rows).toBeLessThan(4);
    const missing = await create({ deduplicate: { model: 'gone' }, dry_run: true });
    expect([missing.status, missing.text]).toEqual([502, expect.stringContaining('`gone`')]);
    const long = await create({ deduplicate, limit: 20_001 });
    expect([long.status, long.text]).toEqual([422, expect.stringContaining('20000')]);
  });

  test('requests are selected by tag, status, length and feedback', async () => {
    const { send, say, judge, create, found } = await start();
    say('Hello');
    await send('r-1', user('short'), undefined, { 'X-Gateway-Tags': 'search,web' });
    await send('r-2', user('a word '.repeat(100)), undefined, { 'X-Gateway-Tags': 'search-x' });
    await send('r-3', { ...user('third'), metadata: { tags: ['web'] } });
    scripted.says({ error: { message: 'no' } });
    expect((await send('r-4', user('fails'))).status).toBe(502);
    await judge('r-1', { thumb: 'up', score: 0.9 });
    await judge('r-2', { thumb: 'down', score: 0.1, label: 'long' });
    for (const [query, ids] of [
      ['tag=search', ['r-1']],
      ['tag=web', ['r-3', 'r-1']],
      ['tag=none', []],
      ['status=error', ['r-4']],
      ['status_code=5', ['r-4']],
      ['status_code=502', ['r-4']],
      ['status_code=429', []],
      ['min_characters=500', ['r-2']],
      ['max_characters=499&status=success', ['r-3', 'r-1']],
      ['thumb=down', ['r-2']],
      ['thumb=up&label=long', []],
      ['label=long', ['r-2']],
      ['min_score=0.5', ['r-1']],
      ['max_score=0.5&feedback=some', ['r-2']],
      ['feedback=none', ['r-4', 'r-3']],
      ['endpoint=/v1/messages', []],
    ] as const)
      expect([query, await found(query)]).toEqual([query, ids]);
    const filter = { thumb: 'down', label: 'long', min_score: 0, from: '2000-01-01' };
    expect((await create({ filter, dry_run: true })).body.counts).toMatchObject({ matched: 1, rows: 1 });
    expect((await create({ filter: { feedback: 'none' }, require_ground_truth: true })).text).toContain(
      'have no ground truth',
    );
    expect((await create({ filter: { tag: 'none' } })).text).toContain('No stored request');
  });

  test('feedback of another user on a request with the same ID does not select or label a request', async () => {
    const { gateway, issued, send, say, create, found } = await start();
    say('Hello');
    await send('r-1', user('of ada'));
    const eve = await issued({ user_id: 'eve', log_prompts: false });
    await gateway.ask(
      'POST',
      '/v1/chat/completions',
      { model: 'openai:m', ...user('x') },
      {
        ...eve,
        'X-Request-Id': 'r-1',
        'X-Gateway-Tags': 'poison',
      },
    );
    const body = { request_id: 'r-1', thumb: 'up', expected_output: 'poison' };
    expect((await gateway.ask('POST', '/v1/feedback', body, eve)).status).toBe(200);
    expect(await found('thumb=up')).toEqual([]);
    expect(await found('tag=poison')).toEqual([]);
    const { counts } = (await create({ require_ground_truth: true, dry_run: true })).body;
    expect(counts).toMatchObject({ matched: 1, without_ground_truth: 1, rows: 0 });
  });

  test('all APIs with messages become the same rows, and a random sample is reproducible', async () => {
    const { send, say, judge, create, rowsOf } = await start();
    say('Hello');
    await send('r-1', { max_tokens: 9, system: 'Be brief.', ...user('one') }, '/v1/messages');
    await send('r-2', { input: 'two', instructions: 'Be brief.' }, '/v1/responses');
    await send('r-3', {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'three' },
      ],
    });
    await judge('r-1', { expected_output: 'Uno' });
    const { body } = await create({ fields: ['messages'], ground_truth: 'expected_output' });
    const rows = await rowsOf(body.dataset.id);
    expect(rows.map(({ messages }) => messages)).toEqual(
      ['three', 'two', 'one'].map((content) => [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content },
      ]),
    );
    expect(rows.map((row) => row['ground_truth'])).toEqual([null, null, 'Uno']);
    const sampled = async (seed: number) => {
      const made = await create({ sample: 'random', seed, limit: 2, fields: [], ground_truth: 'none' });
      return await rowsOf(made.body.dataset.id);
    };
    expect(await sampled(7)).toEqual(await sampled(7));
    expect(await sampled(7)).toHaveLength(2);
  });

  test('only administrators can create datasets from requests', async () => {
    const { gateway, ada, session } = await start();
    await gateway.ask('POST', '/v1/users', { user_id: 'vera', role: 'viewer' });
    await gateway.ask('POST', '/v1/users', { user_id: 'root', role: 'admin' });
    const statuses = [];
    for (const as of [ada, await session('ada'), await session('vera'), await session('root')])
      statuses.push((await gateway.ask('POST', PATH, { dry_run: true }, as)).status);
    expect(statuses).toEqual([401, 403, 403, 200]);
  });
});
