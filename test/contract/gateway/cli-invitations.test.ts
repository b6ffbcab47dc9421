import { expect } from 'vitest';
import { createKey } from './chat.ts';
import { GATEWAY_COMMANDS } from './command-arms.ts';
import { AS_MASTER } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const gateway = shareGateways();

verifiesGateway('gcli:invitations', async (arm) => {
  const api = await gateway(arm, { config: { data_dir: 'data' } });
  await api.post('/v1/teams', { team_id: 'lab' }, AS_MASTER);
  const lead = await createKey(api, { user_id: 'lea', scope: 'manage' });
  const bob = await createKey(api, { user_id: 'bob' });
  await api.ask('/v1/teams/lab/members/lea', {
    method: 'PUT',
    headers: { ...AS_MASTER, 'content-type': 'application/json' },
    body: JSON.stringify({ role: 'admin' }),
  });
  const as =
    (key: string) =>
    async (...args: string[]) =>
      await GATEWAY_COMMANDS.run(['invitations', ...args, '--url', api.url, '--api-key', key]);
  const [asLead, asBob] = [as(lead), as(bob)];
  expect(await asBob('list')).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: 'You have no invitations.\n',
  });
  expect((await asLead('create', 'lab', 'bob', '--role', 'admin')).stdout).toBe(
    'Invited user bob to team lab.\n',
  );
  expect((await asLead('create', 'lab', 'eve')).stdout).toBe('Invited user eve to team lab.\n');
  expect((await asLead('list', '--team', 'lab')).stdout).toMatch(
    /^TEAM +USER +ROLE +INVITED BY +INVITED +EXPIRES\nlab +bob +admin +lea .*\nlab +eve +member +lea /,
  );
  expect((await asLead('withdraw', 'lab', 'eve')).stdout).toBe(
    "Withdrew user eve's invitation to team lab.\n",
  );
  expect(JSON.parse((await asBob('list', '--json')).stdout)).toMatchObject([
    { team_id: 'lab', user_id: 'bob', role: 'admin' },
  ]);
  expect((await asBob('decline', 'lab')).stdout).toBe('Declined the invitation to team lab.\n');
  expect(await asBob('accept', 'lab')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("No invitation of user 'bob' to team 'lab', or it has expired"),
  });
  await asLead('create', 'lab', 'bob');
  expect(JSON.parse((await asBob('accept', 'lab', '--json')).stdout)).toMatchObject({
    team_id: 'lab',
    user_id: 'bob',
    role: 'member',
  });
  // Only team admins can see and create invitations.
  for (const args of [
    ['list', '--team', 'lab'],
    ['create', 'lab', 'eve'],
    ['withdraw', 'lab', 'eve'],
  ])
    expect([args, (await asBob(...args)).exitCode]).toEqual([args, 1]);
  expect(await GATEWAY_COMMANDS.run(['invitations', 'list', '--url', api.url])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Set GATEWAY_API_KEY or --api-key as well, or omit both'),
  });
});
