import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import type { UsageEntry } from '#gateway/accounts/ledger/ledger.ts';
import { bearer, used } from '../requests.ts';
import type { Answer, OpenGateway } from './open-gateway.ts';
import { useGateway, useOwnGateways } from './use-gateway.ts';

const open = useOwnGateways();
const gateway = useGateway();

interface TestKey {
  readonly id: string;
  readonly key: string;
}
let ada: TestKey;
let bob: TestKey;

/** Settles usage of a key. */
async function spend({ context }: OpenGateway, { key }: TestKey, entry: UsageEntry): Promise<void> {
  const { identity, ledger } = context.state;
  const spender = await identity.spender(await identity.authenticate(bearer(key)), undefined);
  await ledger.settle(await ledger.reserve(spender, { cost: 1n, tokens: 1, free: false }), entry);
}

beforeAll(async () => {
  const { ask, clock } = gateway();
  ada = (await ask('POST', '/v1/keys', { user_id: 'ada' })).body;
  bob = (await ask('POST', '/v1/keys', { user_id: 'bob' })).body;
  await spend(
    gateway(),
    ada,
    used(500_000n, { cachedTokens: 4, latencyMs: 830, ttftMs: 210, statusCode: 200, requestId: 'r-1' }),
  );
  clock.advance(60_000);
  await spend(gateway(), ada, used(1_500_000n, { model: 'openai:large', estimated: true }));
  clock.advance(86_400_000);
  const failed = { status: 'error', errorMessage: 'Oh, "no"\n', statusCode: 502 } as const;
  await spend(gateway(), bob, used(null, { promptTokens: null, completionTokens: null, ...failed }));
});

const get = (query: string, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway().ask('GET', `/v1/usage${query}`, undefined, headers);

const WRITES = { cancelled: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0 };
const NO_TEAM = { priced_by: null, team_id: null, organization_id: null };
const TOTALS = {
  requests: 3,
  errors: 1,
  prompt_tokens: 20,
  completion_tokens: 10,
  cached_tokens: 4,
  ...WRITES,
  total_tokens: 30,
  cost: 0.002,
  cache_saved: 0,
};

const UNSET = { priced_by: null, cache_hit: null, end_user: null, cache_saved: null };
test('without filters, returns all usage, newest first', async () => {
  const { status, body } = await get('');
  expect([status, Object.keys(body)]).toEqual([200, ['totals', 'logs']]);
  expect(body.totals).toEqual(TOTALS);
  expect(body.logs.map((log: { cost: number }) => log.cost)).toEqual([null, 0.0015, 0.0005]);
  expect(body.logs[2]).toEqual({
    id: expect.any(String),
    ...UNSET,
    ...NO_TEAM,
    user_id: 'ada',
    api_key_id: ada.id,
    timestamp: '2026-03-01T12:00:00Z',
    model: 'openai:small',
    provider: 'openai',
    endpoint: '/v1/chat/completions',
    prompt_tokens: 10,
    completion_tokens: 5,
    cached_tokens: 4,
    cache_write_tokens: null,
    cache_write_1h_tokens: null,
    total_tokens: 15,
    cost: 0.0005,
    status: 'success',
    error_message: null,
    status_code: 200,
    latency_ms: 830,
    ttft_ms: 210,
    usage_estimated: false,
    request_id: 'r-1',
    tags: [],
    units: {},
    attempt: 1,
  });
  expect(body.logs[0]).toMatchObject({ status: 'error', error_message: 'Oh, "no"\n', total_tokens: null });
  expect((await gateway().ask('GET', '/v1/users/ada/usage')).body).toEqual(body.logs.slice(1));
});

test.each([
  ['?user_id=ada', 2],
  ['?user_id=nobody', 0],
  ['?model=openai:large', 1],
  ['?model=OpenAI/large', 1],
  ['?model=large', 1],
  ['?model=tiny', 0],
  ['?provider=openai', 3],
  ['?provider=openai&status=error', 1],
  ['?status=success', 2],
  ['?status=any', 3],
  ['?request_id=r-1', 1],
  ['?endpoint=/v1/embeddings', 0],
  ['?from=2026-03-01T12:01:00Z', 2],
  ['?from=2026-03-01T12:01:00%2B00:00', 2],
  ['?to=2026-03-01T12:01:00', 1],
  ['?from=2026-03-02&to=2026-03-03', 1],
  ['?from=1772366460', 2],
  ['?user_id=%00', 0],
  ['?user_id=', 3],
])('%s returns %i rows', async (query, left) => {
  const { body } = await get(query);
  expect([body.totals.requests, body.logs.length]).toEqual([left, left]);
});

test('a model name requires a provider if the caller has used the model from several providers', async () => {
  const own = await open();
  const key = (await own.ask('POST', '/v1/keys', { user_id: 'eve' })).body;
  const other = (await own.ask('POST', '/v1/keys', { user_id: 'mallory' })).body;
  await spend(own, key, used(1n, { model: 'openai:same' }));
  await spend(own, other, used(2n, { model: 'azure:same', provider: 'azure' }));
  const refused = await own.ask('GET', '/v1/usage?model=same');
  expect(refused.status).toBe(422);
  expect(refused.text).toMatch(/azure:same, openai:same|openai:same, azure:same/);
  const { body } = await own.request('/v1/usage?model=same', {
    headers: { Authorization: `Bearer ${key.key}` },
  });
  expect(body.totals.requests).toBe(1);
});

test('skip and limit apply to the list, not to the totals', async () => {
  const { body } = await get('?skip=1&limit=1');
  expect([body.totals.requests, body.logs.length, body.logs[0].cost]).toEqual([3, 1, 0.0015]);
});

test('returns groups, sorted by cost in descending order', async () => {
  const { body } = await get('?group_by=user');
  expect(Object.keys(body)).toEqual(['totals', 'groups']);
  expect(body.groups).toEqual([
    {
      group: { user: 'ada' },
      requests: 2,
      errors: 0,
      prompt_tokens: 20,
      completion_tokens: 10,
      cached_tokens: 4,
      ...WRITES,
      total_tokens: 30,
      cost: 0.002,
      cache_saved: 0,
    },
    expect.objectContaining({ group: { user: 'bob' }, requests: 1, errors: 1, cost: 0 }),
  ]);
  for (const query of [
    '?group_by=model,STATUS',
    '?group_by=model&group_by=status',
    '?group_by=model,,status',
  ]) {
    const { groups } = (await get(query)).body;
    expect(groups.map(({ group }: { group: object }) => group)).toEqual([
      { model: 'openai:large', status: 'success' },
      { model: 'openai:small', status: 'success' },
      { model: 'openai:small', status: 'error' },
    ]);
  }
  expect((await get('?group_by=model&limit=1&skip=1')).body.groups).toHaveLength(1);
});

test('groups by time, and by time and field', async () => {
  const { body } = await get('?interval=day&group_by=key');
  expect(Object.keys(body)).toEqual(['totals', 'groups', 'series']);
  expect(
    body.series.map((point: { start: string; requests: number }) => [point.start, point.requests]),
  ).toEqual([
    ['2026-03-01T00:00:00Z', 2],
    ['2026-03-02T00:00:00Z', 1],
  ]);
  expect(body.groups.map(({ group }: { group: object }) => group)).toEqual([
    { key: ada.id },
    { key: bob.id },
  ]);
  expect((await get('?interval=minute')).body.series).toHaveLength(3);
});

test.each([
  ['?group_by=colour', 'group_by', /be one or more of user, key, team, .*, comma-separated, not "colour"$/],
  ['?interval=year', 'interval', /must be one of minute, hour, day, week, month, not "year"$/],
  ['?status=ok', 'status', /must be one of any, success, error, cancelled, interrupted, not "ok"$/],
  ['?from=yesterday', 'from', /must be a time/],
  ['?to=2026-13-01', 'to', /must be a time/],
  ['?format=xml', 'format', /must be one of json, csv/],
  ['?limit=0', 'limit', /from 1 to 1000/],
  ['?usr_id=ada', 'usr_id', /^unknown parameter "usr_id"; did you mean `user_id`\?$/],
])('%s returns 422', async (query, param, detail) => {
  const { status, body } = await get(query);
  expect([status, body.error.param, body.detail]).toEqual([422, param, expect.stringMatching(detail)]);
});

describe('CSV format', () => {
  test.each([
    ['?format=csv', {}],
    ['', { Accept: 'text/csv' }],
    ['?group_by=', { Accept: 'application/json;q=0.5, text/csv' }],
  ])('CSV is returned for %j %j', async (query, headers) => {
    const answer = await get(query, headers);
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename="usage.csv"');
    const rows: Record<string, string>[] = parse(answer.text, { columns: true });
    expect(rows.map(({ cost }) => cost)).toEqual(['0.0005', '0.0015', '']);
    expect(rows[2]).toMatchObject({ user_id: 'bob', error_message: 'Oh, "no"\n', usage_estimated: 'false' });
    const { logs } = (await get('')).body;
    expect(Object.keys(rows[0] ?? {}).sort()).toEqual(Object.keys(logs[0]).sort());
  });

  test('escapes text that a spreadsheet would run as a formula', async () => {
    const own = await open();
    const key = (await own.ask('POST', '/v1/keys', { user_id: '=1+1' })).body;
    await spend(own, key, used(1_000_000n, { status: 'error', errorMessage: '-2+cmd()' }));
    const [row] = parse((await own.ask('GET', '/v1/usage?format=csv')).text, { columns: true });
    expect(row).toMatchObject({ user_id: "'=1+1", error_message: "'-2+cmd()", cost: '0.001' });
  });

  test('the format parameter takes precedence over the header', async () => {
    expect((await get('?format=json', { Accept: 'text/csv' })).body.totals).toEqual(TOTALS);
  });

  test('applies filters, even to a thousand rows', async () => {
    const own = await open();
    const key = (await own.ask('POST', '/v1/keys', {})).body;
    for (let row = 0; row < 1100; row += 1) await spend(own, key, used(1n));
    const { text } = await own.ask('GET', '/v1/usage?format=csv');
    expect(text.trimEnd().split('\r\n')).toHaveLength(1101);
    expect((await own.ask('GET', '/v1/usage?format=csv&user_id=x')).text.split('\r\n')).toHaveLength(2);
  });

  test('a client can disconnect during the download', async () => {
    const response = await gateway().app.request('/v1/usage?format=csv', {
      headers: { 'x-api-key': ada.key },
    });
    await response.body?.cancel();
    expect((await get('')).status).toBe(200);
  });
});

describe('with a key', () => {
  const ask = (query: string, { key }: TestKey, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway().request(`/v1/usage${query}`, { headers: { Authorization: `Bearer ${key}`, ...headers } });

  test('returns the usage of that key', async () => {
    expect((await ask('', ada)).body.totals).toMatchObject({ requests: 2, cost: 0.002 });
    expect((await ask('?user_id=bob', ada)).body.totals.requests).toBe(0);
    expect((await ask('?group_by=user', bob)).body.groups).toMatchObject([{ group: { user: 'bob' } }]);
    expect((await ask('', bob, { Accept: 'text/csv' })).text.trimEnd().split('\r\n')).toHaveLength(2);
  });

  test("rejects another key's usage", async () => {
    expect((await ask(`?api_key_id=${ada.id}`, ada)).status).toBe(200);
    expect(await ask(`?api_key_id=${ada.id}`, bob)).toMatchObject({
      status: 403,
      body: { error: { code: 'foreign_usage', param: 'api_key_id' } },
    });
    expect((await get(`?api_key_id=${ada.id}`)).body.totals.requests).toBe(2);
  });

  test("requires the master key for a user's activity", async () => {
    const headers = { Authorization: `Bearer ${ada.key}` };
    expect((await gateway().request('/v1/users/ada/usage', { headers })).status).toBe(401);
  });
});
