import { expect, test } from 'vitest';
import { openManager } from '../mcp/managed.ts';
import { remoteLaunch, startRemote } from '../upstream/remote-fixture.ts';
import { specOf } from '../upstream/spec.ts';

test('only listed client headers are forwarded to a remote server', async () => {
  const remote = await startRemote('remote.mjs');
  const launch = remoteLaunch(`${remote.url}/mcp`, {
    passHeaders: ['x-tenant'],
    headers: { 'x-fixed': 'ours' },
  });
  const managed = await openManager({ servers: [{ ...specOf(launch), name: 'far' }] });
  try {
    await managed.running('far');
    const headers = {
      'content-type': 'application/json',
      'x-tenant': 'blue',
      'x-other': 'no',
      'x-fixed': 'theirs',
      authorization: 'Bearer for-the-manager',
    };
    const body = '{"message":"hi"}';
    const url = `${managed.origin}/api/v1/servers/far/tools/echo`;
    const direct = await fetch(url, { method: 'POST', headers, body });
    expect(direct.status).toBe(200);
    const client = await managed.connect('/mcp/far', { 'x-tenant': 'red' });
    await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
    const seen = (): unknown[] =>
      remote.requests
        .map(({ headers }) => headers as Record<string, string>)
        .filter((sent) => 'x-tenant' in sent)
        .map(({ authorization, ...sent }) => [
          sent['x-tenant'],
          sent['x-other'],
          sent['x-fixed'],
          authorization,
        ]);
    await expect.poll(seen).toContainEqual(['red', undefined, 'ours', undefined]);
    expect(seen()).toContainEqual(['blue', undefined, 'ours', undefined]);
  } finally {
    await managed.close();
  }
});
