import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { createPromptLog } from '#gateway/accounts/prompts/prompt-log.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { runCommand } from './run-command.ts';

const temp = useTempFolder();

test('`prompts` lists stored prompts and shows those of a single request, and reading them is audited', async () => {
  const url = `sqlite:${join(temp(), 'gateway.db')}`;
  const run = (...args: string[]) => runCommand([...args, '--database-url', url]);
  await run('migrate');
  expect(await run('prompts', 'list')).toEqual({ code: 0, out: '', err: 'No prompts found.\n' });
  const store = await openStore(parseDatabaseUrl(url), { autoMigrate: false });
  const about = {
    user_id: 'ada',
    api_key_id: 'k',
    model: 'a:b',
    endpoint: '/v1/responses',
    truncated: 0,
    status_code: 200,
    tags: null,
  };
  await createPromptLog(store, () => 0).add([
    { ...about, id: '1', at: 0, request_id: 'r', status: 'success', request: '{"a":1}', answer: 'Hi' },
    { ...about, id: '2', at: 1, request_id: 'r', status: 'error', request: '{}', answer: null },
  ]);
  await store.close();

  const list = await run('prompts', 'list', '--user', 'ada');
  expect(list.out).toMatch(
    /^TIME +REQUEST +USER +MODEL +ENDPOINT +STATUS\n1970-01-01 00:00:00Z +r +ada +a:b /,
  );
  const json = JSON.parse((await run('prompts', 'list', '--model', 'x', '--json')).out) as unknown;
  expect(json).toEqual({ total: 0, items: [] });
  const shown = await run('prompts', 'get', 'r');
  expect(shown.out).toContain('status    success\ncut       no\n\n{"a":1}\n\nHi\n');
  expect(shown.out).toContain('{}\n\n(no answer)\n');
  const missing = await run('prompts', 'get', 'x');
  expect(missing).toMatchObject({ code: 1, err: "Error: No prompt is stored for request 'x'.\n" });
  expect((await run('audit', '--action', 'prompt')).out).toMatch(/ cli \S+ +- +prompt\.read +r +success/);
  expect((await run('keys', 'create', '--log-prompts', 'on', '--json')).out).toContain('"log_prompts": true');
  expect((await run('keys', 'create', '--log-prompts', 'yes')).code).toBe(2);
});
