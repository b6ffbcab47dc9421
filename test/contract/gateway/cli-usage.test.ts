import { expect } from 'vitest';
import { GATEWAY_EXECUTABLE } from './command-arms.ts';
import { useStoreFolder } from './command-folder.ts';
import { useKey } from './use-usage.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const folderOf = useStoreFolder();

verifiesGatewayCommand('gcli:usage', async (arm) => {
  const { done, json, path, refused } = folderOf(arm);
  await done('migrate');
  expect(await done('usage')).toBe('Total: 0 requests, 0 failed, 0 tokens in, 0 out, $0.00.\n');
  const database = `sqlite:${path('data/gateway.db')}`;
  const [bob, alice] = [
    (await done('keys', 'create', '--name', 'ci', '--user', 'bob')).trim(),
    (await done('keys', 'create', '--user', 'alice')).trim(),
  ];
  await useKey(database, bob, [
    { requestId: 'r-1' },
    { model: 'groq:llama', provider: 'groq', estimated: true },
  ]);
  await useKey(database, alice, [
    { status: 'error', statusCode: 502, promptTokens: null, completionTokens: null, cost: 0n },
  ]);

  const all = await done('usage');
  expect(all).toMatch(/^TIME +USER +MODEL +ENDPOINT +STATUS +IN +OUT +COST +MS\n/);
  expect(all).toMatch(
    / alice +openai:gpt-4o +\S+ +error 502 +- +- +\$0\.00 +250\n.* bob +groq:llama +\S+ +success +~100 +~20 +\$1\.50 +250\n/,
  );
  expect(all).toMatch(/\nTotal: 3 requests, 1 failed, 200 tokens in, 40 out, \$3\.00\.\n$/);
  expect(await json('usage', '--limit', '1')).toMatchObject({
    totals: { requests: 3, errors: 1, prompt_tokens: 200, cached_tokens: 30, cost: 3 },
    logs: [{ user_id: 'alice', status: 'error' }],
  });
  const filters: readonly (readonly [args: string[], requests: number])[] = [
    [['--user', 'bob'], 2],
    [['--key', 'ci'], 2],
    [['--model', 'groq:llama'], 1],
    [['--model', 'Groq/llama'], 1],
    [['--model', 'gpt-4o'], 2],
    [['--model', 'groq:other'], 0],
    [['--provider', 'openai', '--user', 'bob'], 1],
    [['--endpoint', '/v1/embeddings'], 0],
    [['--status', 'error'], 1],
    [['--request-id', 'r-1'], 1],
    [['--from', '1h'], 3],
    [['--to', '1h'], 0],
    [['--from', '2999-01-01'], 0],
  ];
  for (const [filter, requests] of arm === GATEWAY_EXECUTABLE ? filters.slice(0, 2) : filters) {
    expect((await json('usage', ...filter)).totals.requests, filter.join(' ')).toBe(requests);
  }
  expect(await json('usage', '--group-by', 'user,model')).toMatchObject({
    groups: [
      { group: { user: 'bob', model: 'groq:llama' }, requests: 1, cost: 1.5 },
      { group: { user: 'bob', model: 'openai:gpt-4o' }, cost: 1.5 },
      { group: { user: 'alice' }, errors: 1, cost: 0 },
    ],
  });
  expect(await done('usage', '--group-by', 'user')).toMatch(
    /^USER +REQUESTS +ERRORS +IN +CACHED +OUT +COST\nbob +2 +0 +200 +20 +40 +\$3\.00\nalice +1 +1 +0 +10 +0 +\$0\.00\ntotal +3 +1 +200 +30 +40 +\$3\.00\n$/,
  );
  const { series } = await json('usage', '--interval', 'day', '--user', 'bob');
  expect(series).toMatchObject([{ start: expect.stringMatching(/T00:00:00Z$/), requests: 2, cost: 3 }]);
  expect(await done('usage', '--interval', 'day')).toMatch(/^FROM +REQUESTS .*\n20\S+ 00:00Z +3 +1 /);
  const zone = ['--interval', 'week', '--time-zone', 'Asia/Kolkata'];
  expect((await json('usage', ...zone)).series).toMatchObject([
    { start: expect.stringMatching(/T18:30:00Z$/), requests: 3 },
  ]);
  const [head, first, ...rest] = (await done('usage', '--csv', '--user', 'bob')).split('\r\n');
  expect(head).toMatch(/^id,timestamp,user_id,/);
  expect(first).toMatch(/,bob,.*,openai:gpt-4o,openai,.*,1\.5,success,/);
  expect(rest).toEqual([expect.stringContaining('groq:llama'), '']);
  await useKey(database, alice, [{ cachedTokens: 8, cacheWriteTokens: 6, cacheSaved: 12_600n }]);
  expect(await done('usage', '--group-by', 'user')).toMatch(
    /^USER +REQUESTS +ERRORS +IN +CACHED +WRITTEN +OUT +COST +SAVED\n.*alice +2 +1 +100 +18 +6 +20 +\$1\.50 +\$0\.0000126\n/s,
  );

  expect(await refused(1, 'usage', '--model', 'gpt-4')).toContain('did you mean `gpt-4o`?');
  for (const [args, meant] of [
    [['--group-by', 'modl'], 'Did you mean model?'],
    [['--interval', 'year'], 'is not one of minute, hour, day, week, month.'],
    [['--interval', 'day', '--time-zone', '+05:37'], 'is not a multiple of 15 minutes. Use a name'],
    [
      ['--group-by', 'user', '--csv'],
      '--group-by, --interval and --csv are mutually exclusive; use only one of them.',
    ],
    [['--csv', '--json'], '--csv conflicts with --json; use one of them.'],
    [['--from', 'yesterday'], '--from: "yesterday" is not'],
    [['--from', '1h', '--to', '2h'], '--from: "1h" is not before "2h", the end.'],
    [['--limit', '0'], 'is not a whole number from 1'],
  ] as const) {
    expect(await refused(2, 'usage', ...args)).toContain(meant);
  }
});
