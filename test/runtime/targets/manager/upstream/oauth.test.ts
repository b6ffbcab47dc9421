import { expect, test } from 'vitest';
import { openRecorded } from './open-recorded.ts';
import { type RemoteFixture, remoteLaunch, startRemote } from './remote-fixture.ts';
import { specOf } from './spec.ts';

const CLIENT = { grant: 'client_credentials', clientId: 'manager', clientSecret: 'hush' } as const;

/** The paths of all requests so far, in the order in which the server prints them. */
async function paths({ url, requests }: RemoteFixture): Promise<string[]> {
  await fetch(`${url}/mark`);
  await expect.poll(() => requests.at(-1)?.['path']).toBe('/mark');
  return requests.map(({ path }) => String(path));
}

test("the token endpoint is discovered from the server's metadata", async () => {
  const remote = await startRemote('remote.mjs', { OAUTH: '1' });
  const { text } = await openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`, { oauth: CLIENT })));
  expect(await text('echo', { message: 'in' })).toBe('in');
  expect((await paths(remote)).filter((path) => path === '/token')).toHaveLength(1);
});

test('a configured token endpoint skips discovery, over both transports', async () => {
  const remote = await startRemote('remote.mjs', { OAUTH: '1' });
  const oauth = { ...CLIENT, tokenUrl: `${remote.url}/token`, scope: 'tools' };
  const { text } = await openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`, { oauth })));
  expect(await text('echo', { message: 'in' })).toBe('in');
  const sse = remoteLaunch(`${remote.url}/sse`, { oauth, transport: 'sse' });
  const older = await openRecorded(specOf(sse));
  expect(await older.text('echo', { message: 'too' })).toBe('too');
  expect((await paths(remote)).filter((path) => path.startsWith('/.well-known'))).toEqual([]);
});

test('a rejected token is renewed once for all waiting requests', async () => {
  const remote = await startRemote('remote.mjs', { OAUTH: '1' });
  const oauth = { ...CLIENT, tokenUrl: `${remote.url}/token` };
  const { text } = await openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`, { oauth })));
  await fetch(`${remote.url}/revoke`, { method: 'POST' });
  const messages = ['one', 'two', 'three'];
  expect(await Promise.all(messages.map((message) => text('echo', { message })))).toEqual(messages);
  expect((await paths(remote)).filter((path) => path === '/token')).toHaveLength(2);
});

test('an invalid client secret is reported without being shown', async () => {
  const remote = await startRemote('remote.mjs', { OAUTH: '1' });
  const oauth = { ...CLIENT, clientSecret: 'wrong-secret', tokenUrl: `${remote.url}/token` };
  const opening = openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`, { oauth })));
  const failure = await opening.catch((error: Error) => error.message);
  expect(failure).toMatch(
    /^Cannot get an access token for `manager` from .*\/token: .*Check the OAuth settings\.$/,
  );
  expect(failure).not.toContain('wrong-secret');
});
