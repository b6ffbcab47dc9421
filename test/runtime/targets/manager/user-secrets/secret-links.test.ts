import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { createSecretLinks } from '#manager/user-secrets/secret-links.ts';
import { handClock } from '#test/helpers/hand-clock.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { bearer } from '../access/key-of.ts';
import { ECHO, openUsers } from './use-users.ts';

const temp = useTempFolder();
const link = (user: string, server = 'echo') => ({ user, server, secrets: ['TOKEN'] });

test('a link is for one user, is reused while it is valid, and works once and for 10 minutes', () => {
  const clock = handClock();
  const links = createSecretLinks(clock);
  const token = links.create(link('ann'));
  expect(token).toMatch(/^[\w-]{24}$/);
  expect(links.create(link('ann'))).toBe(token);
  expect(links.create(link('bob'))).not.toBe(token);
  expect(links.read(token, 'ann')).toMatchObject(link('ann'));
  expect(() => links.read(token, 'bob')).toThrow(/not valid for you/);
  expect(() => links.read('unknown', 'ann')).toThrow(/not valid for you/);
  links.use(token);
  expect(() => links.read(token, 'ann')).toThrow(/not valid for you/);
  const next = links.create(link('ann'));
  clock.pass(10 * 60_000);
  expect(() => links.read(next, 'ann')).toThrow(/not valid for you/);
});

test('all links of a user can be removed', () => {
  const links = createSecretLinks();
  const [anns, bobs] = [links.create(link('ann')), links.create(link('bob'))];
  links.removeAll('ann');
  expect(() => links.read(anns, 'ann')).toThrow(/not valid for you/);
  expect(links.read(bobs, 'bob')).toMatchObject(link('bob'));
});

test('a user with many links loses only own links', () => {
  const links = createSecretLinks();
  const bobs = links.create(link('bob'));
  const first = links.create(link('ann', 'first'));
  for (let index = 0; index < 2000; index += 1) links.create(link('ann', `server-${index}`));
  expect(links.read(bobs, 'bob')).toMatchObject({ user: 'bob' });
  expect(() => links.read(first, 'ann')).toThrow(/not valid for you/);
});

test('a link sets exactly the missing secrets of its user, and another key cannot use it', async () => {
  const { call, send } = await openUsers(ECHO, { users: ['ann', 'bob'], folder: temp() });
  const { body } = await call('ann', 'env');
  const [, token = ''] = /\/secrets\?link=([\w-]+)/.exec(body.detail) ?? [];
  const path = `/secret-links/${token}`;
  const secrets = { TOKEN: 'secret-of-ann' };
  for (const [key, method, sent, status] of [
    ['bob', 'GET', undefined, 422],
    ['bob', 'POST', { secrets }, 422],
    [undefined, 'POST', { secrets }, 401],
    ['ann', 'POST', { secrets: { ...secrets, OTHER: 'x' } }, 422],
    ['ann', 'POST', { secrets: {} }, 422],
    ['ann', 'GET', undefined, 200],
    ['ann', 'POST', { secrets }, 200],
    ['ann', 'POST', { secrets }, 422],
  ] as const) {
    expect((await send(key, method, path, sent)).status, `${key} ${method}`).toBe(status);
  }
  expect(JSON.parse((await call('ann', 'env')).body).TOKEN).toBe('token secret-of-ann');
  expect((await call('bob', 'env')).status).toBe(502);
});

test('an MCP client is asked to open the page, and the call continues when the secret is set', async () => {
  const { managed, send } = await openUsers(ECHO, { users: ['ann'], folder: temp() });
  const client = await managed.connect(
    '/mcp',
    { authorization: bearer('ann') },
    { elicitation: { url: {} } },
  );
  const asked: Record<string, unknown>[] = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params);
    const url = new URL('url' in params ? params.url : '');
    await send('ann', 'POST', `/secret-links/${url.searchParams.get('link')}`, {
      secrets: { TOKEN: 'secret-of-ann' },
    });
    return { action: 'accept' };
  });
  const { content } = await client.callTool({ name: 'echo__env', arguments: {} });
  expect(JSON.stringify(content)).toContain('token secret-of-ann');
  expect(asked).toEqual([
    expect.objectContaining({ mode: 'url', message: 'Set your secret TOKEN for echo to continue.' }),
  ]);
  expect(String(asked[0]?.['url'])).toMatch(new RegExp(`^${managed.origin}/secrets\\?link=`));
  const page = await fetch(String(asked[0]?.['url']));
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});
