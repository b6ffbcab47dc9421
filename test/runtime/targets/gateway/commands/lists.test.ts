import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { runCommand } from './run-command.ts';

const temp = useTempFolder();

test('keys, users, teams, organizations and budgets can be searched, filtered and sorted', async () => {
  const url = `sqlite:${join(temp(), 'gateway.db')}`;
  const run = (...args: string[]) => runCommand([...args, '--database-url', url]);
  await run('migrate');
  for (const words of [
    'orgs create acme',
    'teams create research --org acme',
    'teams create sales',
    'users create ada --alias Émile',
    'users create bob',
    'users update bob --block',
    'keys create --user ada --team research --name nightly',
    'keys create --user bob --name laptop',
    'budgets create --name tier --amount 5',
  ])
    expect(await run(...words.split(' '))).toMatchObject({ code: 0 });
  const ids = async (words: string): Promise<string[]> => {
    const { out } = await run(...words.split(' '), '--json');
    return (JSON.parse(out) as Record<string, string>[]).map(
      (one) =>
        one['key_name'] ?? one['user_id'] ?? one['team_id'] ?? one['organization_id'] ?? one['name'] ?? '',
    );
  };
  expect(await ids('users list --search éMI')).toEqual(['ada']);
  expect(await ids('users list --status blocked')).toEqual(['bob']);
  expect(await ids('users list --team research')).toEqual(['ada']);
  expect(await ids('users list --sort=-user_id')).toEqual(['bob', 'ada']);
  expect(await ids('keys list --search night --status active --user ada')).toEqual(['nightly']);
  expect(await ids('keys list --sort key_name')).toEqual(['laptop', 'nightly']);
  expect(await ids('teams list --org acme')).toEqual(['research']);
  expect(await ids('teams list --sort=-team_id')).toEqual(['sales', 'research']);
  expect(await ids('orgs list --search ACM')).toEqual(['acme']);
  expect(await ids('budgets list --search TIER --sort=-max_budget')).toEqual(['tier']);
  expect((await run('users', 'list', '--search', 'nothing')).err).toMatch(/^No users found/);
  expect(await run('keys', 'list', '--sort', 'size')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--sort'),
  });
});
