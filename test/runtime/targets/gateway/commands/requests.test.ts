import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGuardrailHits } from '#gateway/accounts/guardrail-hits/guardrail-hits.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { USAGE_ROW } from '../usage-row.ts';
import { runCommand } from './run-command.ts';

const temp = useTempFolder();

test('`requests` lists requests with attempts and percentiles, and `guardrails hits` lists guardrail hits', async () => {
  const url = `sqlite:${join(temp(), 'gateway.db')}`;
  const run = (...args: string[]) => runCommand([...args, '--database-url', url]);
  await run('migrate');
  expect((await run('requests', 'list')).err).toBe('No requests found.\n');
  expect((await run('requests', 'latency')).err).toBe('No answers found.\n');
  expect((await run('guardrails', 'hits')).err).toBe('No hits found.\n');
  const store = await openStore(parseDatabaseUrl(url), { autoMigrate: false });
  const row = { ...USAGE_ROW, timestamp: Date.now() - 1000, user_id: 'ada', request_id: 'abc' };
  const failure = {
    status: 'error' as const,
    status_code: 502,
    error_message: 'Provider error',
    error_detail: 'HTTP 503',
  };
  await store.db
    .insertInto('gateway_usage')
    .values([
      { ...row, ...failure, id: 'one.1', model: 'openai:small' },
      {
        ...row,
        id: 'one',
        attempt: 2,
        completion_tokens: 100,
        latency_ms: 1200,
        ttft_ms: 200,
        cost_nano: 5_000_000n,
      },
    ])
    .execute();
  const hits = createGuardrailHits(store);
  const about = {
    request_id: 'abc',
    user_id: 'ada',
    api_key_id: null,
    team_id: null,
    endpoint: '/v1/messages',
  };
  hits.add([
    {
      ...about,
      at: 0,
      model: 'fast',
      profile: 'pii',
      mode: 'block',
      place: 'input',
      score: null,
      explanation: 'EMAIL',
    },
  ]);
  await hits.close();
  await store.close();

  const list = await run('requests', 'list', '--user', 'ada', '--status', 'error');
  expect(list.out).toMatch(
    /^TIME +ID +USER +MODEL +STATUS +COST +MS\n\S+ \S+ +one\.1 +ada +openai:small +error 502 +- +-\n$/,
  );
  const shown = await run('requests', 'get', 'one.1');
  expect(shown.out).toMatch(
    /model +openai:small\n[^]*reason +HTTP 503\n[^]*\n\n[^]*model +openai:gpt-5\n[^]*cost +\$0\.005/,
  );
  expect(JSON.parse((await run('requests', 'get', 'one', '--json')).out)).toMatchObject([
    { attempt: 1 },
    { cost: 0.005 },
  ]);
  expect(await run('requests', 'get', 'two')).toMatchObject({
    code: 1,
    err: "Error: Request 'two' not found.\n",
  });
  const latency = await run('requests', 'latency', '--group-by', 'provider', '--json');
  expect(JSON.parse(latency.out)).toMatchObject({
    groups: [{ group: 'openai', answers: 1, tokens_per_second: { p50: expect.closeTo(100, -1) } }],
  });
  expect((await run('requests', 'latency')).out).toMatch(/openai:gpt-5 +1 +1\d{3} [^]*\nall +1 /);
  expect((await run('guardrails', 'hits', '--mode', 'block')).out).toMatch(
    /1970-01-01 00:00:00Z +pii +block +input +- +ada +fast +EMAIL\n$/,
  );
});
