import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, sharedPostgres } from '#test/helpers/postgres.ts';
import type { OpenGateway } from '../open-gateway.ts';
import { openStoredGateway } from '../stored-gateway.ts';
import { type Headers, keysOf, withKey } from './keys-of.ts';
import { OTHER_ROUTES, TENANT_ROUTES, type Victim } from './tenant-routes.ts';

/** Statuses that reject a request without revealing whether the object exists. */
const REFUSED = [401, 403, 404];
const NAMES = Object.keys(TENANT_ROUTES);

const lineOf = (mark: string): string =>
  JSON.stringify({
    custom_id: mark,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'fast', max_tokens: 5, messages: [{ role: 'user', content: mark }] },
  });

const programs = await findPostgres();
const postgres = programs === undefined ? undefined : await sharedPostgres(programs);
afterAll(async () => await postgres?.dropDatabases());
const sqlite = await openStoredGateway();
const onPostgres = postgres
  ? await openStoredGateway({ databaseUrl: await postgres.createDatabase() })
  : undefined;

describe('SQLite', () => {
  walk(sqlite.gateway);
});
describe.skipIf(onPostgres === undefined)('PostgreSQL', () => {
  walk(onPostgres?.gateway ?? sqlite.gateway);
});

function walk(gateway: OpenGateway): void {
  afterAll(() => gateway.close());
  const { ask } = gateway;
  const { ownKey, session, issued } = keysOf(gateway);

  async function send(name: string, ids: Victim, as: Headers) {
    const { path, body, headers = {} } = TENANT_ROUTES[name]?.(ids) ?? { path: '' };
    const [method = ''] = name.split(' ');
    return await ask(method, path, body, { ...as, ...headers });
  }

  const form = async (path: string, as: Headers, fields: Record<string, string | File>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const response = await gateway.app.request(path, { method: 'POST', headers: as, body });
    const { id } = (await response.json()) as { readonly id?: string };
    if (id === undefined) throw new Error(`${path}: ${response.status}`);
    return id;
  };
  /** Creates one object of each kind; the mark is in all names and texts. */
  async function createAll(secret: string, as: Headers): Promise<Victim> {
    const made = async (path: string, body: unknown): Promise<string> => {
      const answer = await ask('POST', path, body, as);
      if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
      return answer.body.id;
    };
    const file = await form('/v1/files', as, {
      purpose: 'batch',
      file: new File([lineOf(secret)], `${secret}.jsonl`),
    });
    const rows = new File([`examples,ground_truth\n${secret},x\n`], `${secret}.csv`);
    const dataset = await form('/api/v1/datasets', as, { format: 'job', dataset: rows });
    const begun = await gateway.request('/api/v1/uploads', {
      method: 'POST',
      headers: {
        ...as,
        'Tus-Resumable': '1.0.0',
        'Upload-Length': '9',
        'Upload-Metadata': `filename ${btoa('a.csv')}`,
      },
    });
    const task_definition = { task: 'text-classification' };
    const experiment = await made('/api/v1/experiments', { name: secret, dataset, task_definition });
    const model = { model: 'openai:gpt-4o-mini', provider: 'gateway' };
    await ask(
      'POST',
      '/v1/chat/completions',
      { model: 'fast', max_tokens: 5, messages: [{ role: 'user', content: secret }] },
      { ...as, 'X-Request-Id': secret },
    );
    await ask('PUT', `/api/v1/settings/secrets/${secret}`, { value: `sk-${secret}` }, as);
    return {
      file,
      dataset,
      experiment,
      batch: await made('/v1/batches', {
        input_file_id: file,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      }),
      response: await made('/v1/responses', { model: 'fast', input: secret, store: true }),
      upload: new URL(begun.headers.get('Location') ?? '').pathname.split('/').at(-1) ?? '',
      workflow: await made('/api/v1/workflows', {
        name: secret,
        experiment_id: experiment,
        ...model,
        system_prompt: 'x',
      }),
      job: await made('/api/v1/jobs/inference', {
        name: secret,
        dataset,
        job_config: { job_type: 'inference', ...model, system_prompt: 'x', task_definition },
      }),
      feedback: await made('/v1/feedback', { request_id: secret, label: secret }),
      secret,
    };
  }

  test('every route is classified', () => {
    const routes = gateway.app.routes.flatMap(({ method, path }) =>
      method === 'ALL' ? [] : [`${method} ${path}`],
    );
    const unknown = [...new Set(routes)].filter(
      (name) => !(name in TENANT_ROUTES) && !OTHER_ROUTES.some((one) => one.test(name)),
    );
    expect(unknown).toEqual([]);
    expect(NAMES.filter((name) => !routes.includes(name))).toEqual([]);
  });

  describe('objects created by a user', () => {
    let owner: Headers;
    let own: Victim;
    /** Objects that ann created with her key for the team finance. */
    let ofTeam: Victim;
    const others: Record<string, Headers> = {};
    const outsiders: Record<string, Headers> = {};

    beforeAll(async () => {
      for (const team_id of ['finance', 'ops', 'gone']) await ask('POST', '/v1/teams', { team_id });
      for (const user_id of ['ann', 'bob', 'mallory', 'eve']) await ask('POST', '/v1/users', { user_id });
      for (const [team, user] of [
        ['finance', 'ann'],
        ['finance', 'bob'],
        ['gone', 'ann'],
      ])
        await ask('PUT', `/v1/teams/${team}/members/${user}`);
      for (const [team, user] of [
        ['ops', 'mallory'],
        ['finance', 'eve'],
      ])
        await ask('PUT', `/v1/teams/${team}/members/${user}`, { role: 'admin' });
      owner = await ownKey('ann');
      own = await createAll('private-of-ann', owner);
      ofTeam = await createAll('of-ann-in-finance', await issued({ user_id: 'ann', team_id: 'finance' }));
      const mallory = await session('mallory');
      // ann has accepted, so an admin of ops can create keys for her in ops.
      await ask('PUT', '/v1/teams/ops/members/ann', undefined, mallory);
      await ask('POST', '/v1/me/invitations/ops/accept', undefined, await session('ann'));
      const rotated = await ownKey('ann');
      const { body: listed } = await ask('GET', '/v1/keys/me', undefined, rotated);
      const again = await ask('POST', `/v1/keys/${listed.id}/rotate`);
      await ask('POST', '/v1/users', { user_id: 'ops/ci', team_id: 'ops' }, mallory);
      const left = await issued({ user_id: 'ann', team_id: 'gone' });
      await ask('DELETE', '/v1/teams/gone/members/ann');
      Object.assign(outsiders, {
        'a member of the team': await issued({ user_id: 'bob', team_id: 'finance' }),
        'a key of the user that the administrator of another team has created': await issued(
          { user_id: 'ann', team_id: 'ops' },
          mallory,
        ),
        'a service account of another team': await issued({ user_id: 'ops/ci', team_id: 'ops' }, mallory),
        'the administrator of another team': await issued({ team_id: 'ops' }, mallory),
        'a key that manages': mallory,
        'a key of a team that the user has left': left,
        'another user': await ownKey('stranger'),
      });
      Object.assign(others, outsiders, {
        'a key of the user that the administrator of the same team has created': await issued(
          { user_id: 'ann', team_id: 'finance' },
          await session('eve'),
        ),
        'a key of the user that an administrator of the gateway has created': await issued({
          user_id: 'ann',
        }),
        'a key of the user that an administrator has rotated': withKey(again.body.key),
      });
    });

    test("a key sees its own objects, and a team's keys see team objects", async () => {
      for (const [ids, as] of [
        [own, owner],
        [ofTeam, owner],
        [ofTeam, others['a key of the user that the administrator of the same team has created'] ?? {}],
      ] as const) {
        for (const name of ['GET /v1/files/:id/content', 'GET /v1/responses/:id', 'GET /api/v1/jobs/:id'])
          expect([name, (await send(name, ids, as)).status]).toEqual([name, 200]);
        for (const name of ['GET /v1/files', 'GET /api/v1/datasets'])
          expect((await send(name, ids, as)).text).toContain(ids.secret);
      }
      const files = await ask('GET', '/v1/files', undefined, owner);
      expect(files.body.data).toHaveLength(2);
      // A secret is used where it was set.
      expect((await send('GET /api/v1/settings/secrets', own, owner)).text).toContain(own.secret);
      // Totals do not count hidden rows.
      const { body } = await ask('GET', '/api/v1/datasets', undefined, others['another user']);
      expect(body.total).toBe(0);
    });

    const isList = (name: string): boolean =>
      /^GET .*\/(?:files|batches|datasets|experiments|all|workflows|jobs|secrets|requests|live|feedback|usage|spending|latency)$/.test(
        name,
      );
    const expectHidden = async (name: string, ids: Victim, who: string, as: Headers): Promise<void> => {
      const answer = await send(name, ids, as);
      const about = `${name} by ${who}: ${answer.status} ${answer.text.slice(0, 300)}`;
      // Errors can repeat the name of a secret from the request.
      expect(answer.text.replaceAll(`'${ids.secret}'`, ''), about).not.toContain(ids.secret);
      if (isList(name)) {
        for (const id of Object.values(ids)) expect(answer.text.includes(id), about).toBe(false);
      } else if (name.startsWith('POST /api/v1/'))
        expect([...REFUSED, 400, 422], about).toContain(answer.status);
      else expect(REFUSED, about).toContain(answer.status);
    };

    test.each(NAMES)('%s: no other caller can see, change or use them', async (name) => {
      for (const [who, as] of Object.entries(others)) await expectHidden(name, own, who, as);
      for (const [who, as] of Object.entries(outsiders)) await expectHidden(name, ofTeam, who, as);
      // Nothing was changed or deleted.
      for (const ids of [own, ofTeam])
        for (const read of ['GET /v1/files/:id', 'GET /v1/responses/:id', 'GET /api/v1/datasets/:id'])
          expect((await send(read, ids, owner)).status).toBe(200);
    });

    test('objects stay hidden after their user is deleted and the ID is reused', async () => {
      await ask('DELETE', '/v1/users/ann');
      const mallory = await session('mallory');
      const taken = await ask('POST', '/v1/users', { user_id: 'ann', team_id: 'ops' }, mallory);
      expect([taken.status, taken.body.error.message]).toEqual([
        422,
        'Invalid user_id "ann": the ID of a service account must start with the ID of its team. Use, for example, \'ops/ci\'.',
      ]);
      await ask('POST', '/v1/users', { user_id: 'ann' });
      const again = {
        'the next user with the id': await ownKey('ann'),
        'an issued key': await issued({ user_id: 'ann' }),
      };
      for (const name of NAMES)
        for (const ids of [own, ofTeam])
          for (const [who, as] of Object.entries(again)) await expectHidden(name, ids, who, as);
    });
  });
}
