import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStoredGateway } from '../stored-gateway.ts';
import { type Headers, keysOf, withKey } from './keys-of.ts';

const { gateway } = await openStoredGateway();
afterAll(() => gateway.close());
const { ask } = gateway;
const { session } = keysOf(gateway);

const MARK = 'mark-of-the-earlier-one';
const chat = {
  model: 'openai:good',
  max_tokens: 5,
  messages: [{ role: 'user', content: 'x' }],
};

/** Routes that return usage, requests or keys, with the earlier user's or team's IDs in their paths. */
const READS = gateway.app.routes
  .filter(({ method, path }) => method === 'GET' && /\/(?:usage|requests|keys)(?:\/|$)/.test(path))
  .map(({ path }) => path)
  .filter((path, at, all) => all.indexOf(path) === at);

test('this test covers all routes that return usage, requests or keys', () => {
  expect(READS.toSorted()).toEqual([
    '/v1/keys',
    '/v1/keys/:id',
    '/v1/keys/me',
    '/v1/requests',
    '/v1/requests/:id',
    '/v1/requests/live',
    '/v1/usage',
    '/v1/usage/feedback',
    '/v1/usage/latency',
    '/v1/usage/spending',
    '/v1/users/:id/usage',
  ]);
});

describe('a reused ID', () => {
  let asAnn: Headers;
  let asLead: Headers;
  const old = { key: '', request: '' };

  beforeAll(async () => {
    const create = async (body: object) => {
      await ask('POST', '/v1/teams', { team_id: 'lab' });
      await ask('POST', '/v1/users', { user_id: 'dora' });
      return (await ask('POST', '/v1/keys', body)).body;
    };
    const earlier = await create({ user_id: 'dora', team_id: 'lab', key_name: MARK });
    old.key = earlier.id;
    const first = await ask('POST', '/v1/chat/completions', chat, {
      ...withKey(earlier.key),
      'X-Gateway-Tags': MARK,
    });
    if (first.status !== 200) throw new Error(first.text);
    old.request = (await ask('GET', '/v1/requests')).body.items[0].id;
    await ask('DELETE', '/v1/users/dora');
    await ask('DELETE', '/v1/teams/lab');
    // In the same hour, which charts do not divide further.
    gateway.clock.advance(60_000);
    const own = await create({ user_id: 'dora', team_id: 'lab', key_name: 'own' });
    await ask('POST', '/v1/users', { user_id: 'lea' });
    await ask('PUT', '/v1/teams/lab/members/lea', { role: 'admin' });
    await ask('POST', '/v1/chat/completions', chat, { ...withKey(own.key), 'X-Gateway-Tags': 'own' });
    asAnn = await session('dora');
    asLead = await session('lea');
  });

  const queries = (path: string, filter: string): string[] => {
    const paths = [old.key, old.request, 'dora'].map((id) => path.replace(':id', id));
    const filters = path.includes(':id') ? [''] : ['', filter, `?api_key_id=${old.key}`];
    const groups = path === '/v1/usage' ? [`${filter}&group_by=tag`, `${filter}&format=csv`] : [];
    return [...new Set(paths)].flatMap((one) => [...filters, ...groups].map((query) => one + query));
  };

  test.each(READS)('%s shows no data from the earlier user or team', async (path) => {
    for (const [who, as, filter] of [
      ['the user', asAnn, '?user_id=dora'],
      ['the administrator of the team', asLead, '?team_id=lab'],
    ] as const)
      for (const query of queries(path, filter)) {
        const { status, text } = await ask('GET', query, undefined, as);
        expect([who, query, text.includes(MARK)]).toEqual([who, query, false]);
        // An error can repeat the ID from the request.
        const shown = status === 200 ? [old.key, old.request].filter((id) => text.includes(id)) : [];
        expect([who, query, shown]).toEqual([who, query, []]);
      }
  });

  test('usage under a reused ID includes only that of its current owner, and charts include it from the next interval on', async () => {
    for (const [as, filter] of [
      [asAnn, ''],
      [asLead, '?team_id=lab'],
    ] as const) {
      expect((await ask('GET', `/v1/usage${filter}`, undefined, as)).body).toMatchObject({
        totals: { requests: 1 },
        logs: [{ tags: ['own'] }],
      });
      const spending = async (interval: string) => {
        const path = `/v1/usage/spending${filter}${filter === '' ? '?' : '&'}interval=${interval}`;
        return (await ask('GET', path, undefined, as)).body.totals.requests;
      };
      expect([await spending('hour'), await spending('day')]).toEqual([0, 0]);
    }
    // The master key sees everything, for billing.
    expect((await ask('GET', '/v1/usage?user_id=dora')).body.totals.requests).toBe(2);
    expect((await ask('GET', '/v1/usage/spending?user_id=dora')).body.totals.requests).toBe(2);
  });

  test('usage under an ID that was never used before appears in charts immediately', async () => {
    const { body } = await ask('POST', '/v1/keys', { user_id: 'new' });
    await ask('POST', '/v1/chat/completions', chat, withKey(body.key));
    const { body: spending } = await ask('GET', '/v1/usage/spending', undefined, await session('new'));
    expect(spending.totals.requests).toBe(1);
  });
});
