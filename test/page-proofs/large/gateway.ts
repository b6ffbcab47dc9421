import type { ProvedGateway } from '../programs/gateway.ts';
import type { Owners } from './fill-usage.ts';
import { choose, enter, follow, type Interaction, openFirst, press } from './interaction.ts';

const USERS = 40;
const KEYS = 80;
const MODELS = 12;

/** Creates the owners of the usage. */
export async function createOwners({ call }: ProvedGateway): Promise<Owners> {
  const teams = ['research', 'support', 'sales', 'search'];
  for (const team of teams) await call('POST', '/v1/teams', { team_id: team });
  const users = Array.from({ length: USERS }, (_, at) => `user-${at}`);
  for (const user of users) await call('POST', '/v1/users', { user_id: user });
  const keys: string[] = [];
  for (let at = 0; at < KEYS; at += 1) {
    const body = { user_id: users[at % USERS], key_name: `key ${at}` };
    keys.push((await call('POST', '/v1/keys', body)).id);
  }
  return { users, keys, models: Array.from({ length: MODELS }, (_, at) => `lab:model-${at}`), teams };
}

/** Requests in flight are refreshed every two seconds. */
const LIVE = 'main > .page > .page';

export const gatewayInteractions: readonly Interaction[] = [
  {
    title: 'open a page',
    at: '#/account',
    actions: ['Overview', 'Spend', 'Latency', 'Keys', 'Users', 'Teams', 'Budget use', 'Audit log'].map(
      follow,
    ),
  },
  { title: 'open the requests', at: '#/account', ignored: LIVE, actions: [follow('Requests')] },
  {
    title: 'spend: group',
    at: '#/spending?range=90d',
    actions: ['user', 'key', 'team', 'provider', 'model'].map((group) => choose('Group by', group)),
  },
  {
    title: 'spend: time range',
    at: '#/spending?group=key',
    actions: ['24h', '30d', '90d', '7d'].map((range) => choose('Time range', range)),
  },
  {
    title: 'spend: measure',
    at: '#/spending?range=90d&group=user',
    actions: ['requests', 'errors', 'total_tokens', 'cost'].map((measure) => choose('Show', measure)),
  },
  {
    title: 'latency: time range, group',
    at: '#/latency',
    actions: [
      ...['24h', '30d', '90d'].map((range) => choose('Time range', range)),
      choose('Group by', 'provider'),
    ],
  },
  {
    title: 'requests: next and previous page',
    at: '#/requests',
    ignored: LIVE,
    actions: [press('Next'), press('Next'), press('Previous'), press('Next'), press('First page')],
  },
  {
    title: 'requests: filter',
    at: '#/requests',
    ignored: LIVE,
    actions: [
      choose('Status', 'error'),
      enter('Model', 'lab:model-3'),
      enter('User', 'user-7'),
      choose('Status', ''),
      enter('Model', ''),
      enter('User', 'no-such-user'),
      enter('User', ''),
      enter('Team', 'sales'),
    ],
  },
  { title: 'requests: open one', at: '#/requests', ignored: LIVE, actions: [openFirst] },
  { title: 'open a user', at: '#/users', actions: [openFirst] },
  { title: 'open a key', at: '#/keys', actions: [openFirst] },
];
