import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { builtProgram } from '../../helpers/built.ts';
import { ROOT } from '../../helpers/paths.ts';
import { startTokenIssuer } from '../../helpers/token-issuer.ts';
import { startProtectedServer } from '../../runtime/targets/manager/sign-in/protected-server.ts';
import { verifiesOnce } from '../verifies.ts';
import { filesIn } from './arms.ts';
import { TWO } from './config.ts';
import { useDaemons } from './daemon-process.ts';

const { start } = useDaemons();

verifiesOnce('daemon:sign-in', async () => {
  const server = await startProtectedServer();
  const config = `[[servers]]\nname = "far"\nurl = ${JSON.stringify(server.url)}\ntools = ["*"]\n`;
  const api = await start({ config }, ['--log-level', 'trace']);
  const manager = (...args: string[]) =>
    execa(builtProgram('manager'), [...args, ...filesIn(api.folder)], {
      env: { BROWSER: join(ROOT, 'test/sign-in/browser.mjs') },
    });
  const health = async () => (await api.get('/api/v1/health/servers/far')).text;
  await expect.poll(health, { timeout: 10_000 }).toContain('"signIn":"required"');
  const refused = await api.post('/api/v1/servers/far/tools/hello', {});
  expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('mcp-manager login far')]);

  const { stdout, stderr } = await manager('login', 'far');
  expect(stdout).toBe(`Signed in to far at ${server.origin}, scopes: use.`);
  expect(stderr).toContain(`Open this URL to sign in to far:\n\n  ${server.origin}/authorize?`);
  const call = async () => (await api.post('/api/v1/servers/far/tools/hello', {})).text;
  await expect.poll(call, { timeout: 10_000 }).toBe('"hello"');
  expect(await health()).toContain('"signIn":"signed-in"');
  server.rejectAccess();
  expect(await call(), 'after a refresh').toBe('"hello"');

  expect((await manager('logout', 'far')).stdout).toBe('Signed out of far.');
  expect(server.revoked).toHaveLength(2);
  expect(await call()).toContain('mcp-manager login far');
  await api.stop();
  const files = readdirSync(api.folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(api.folder, name),
  );
  const texts = files.filter((file) => !file.endsWith('sign-ins')).map((file) => readFileSync(file, 'utf8'));
  for (const text of [api.log(), ...texts]) expect(text).not.toMatch(/(?:access|refresh)-[\da-f]{8}/);
});

verifiesOnce('daemon:sign-in:per-user', async () => {
  const server = await startProtectedServer();
  const config = `[[servers]]\nname = "far"\nurl = ${JSON.stringify(server.url)}\ntools = ["*"]\n[servers.oauth]\nsign_in = "per_user"\n`;
  const api = await start({ config });
  const env = { BROWSER: join(ROOT, 'test/sign-in/browser.mjs') };
  const manager = (...args: string[]) =>
    execa(builtProgram('manager'), [...args, ...filesIn(api.folder)], { env, reject: false });
  const keyFor = async (name: string): Promise<string> =>
    (await manager('keys', 'create', '--name', name)).stdout;
  const [ann, bob] = [await keyFor('ann'), await keyFor('bob')];
  const call = async (key: string): Promise<string> => {
    const response = await fetch(`${api.url}/api/v1/servers/far/tools/hello`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    return await response.text();
  };
  const required = `requires your sign-in. Open ${api.url}/sign-in?server=far, or run \`mcp-manager login far\``;
  await expect.poll(() => call(ann), { timeout: 10_000 }).toContain(required);
  const at = (key: string): string[] => ['--url', api.url, '--api-key', key];
  expect((await manager('login', 'far', ...at(ann))).stdout).toBe(
    `Signed in to far at ${server.origin}, scopes: use.`,
  );
  expect(await call(ann)).toBe('"hello"');
  expect(await call(bob)).toContain(required);
  expect((await manager('login', 'far', '--url', api.url)).stderr).toContain('Missing API key');
  expect((await manager('logout', 'far', ...at(bob))).stdout).toBe('Not signed in to far.');
  expect((await manager('logout', 'far', ...at(ann))).stdout).toBe('Signed out of far.');
  expect(server.revoked).toHaveLength(2);
  expect(await call(ann)).toContain(required);
  const page = await fetch(`${api.url}/sign-in?server=far`);
  expect([page.status, page.headers.get('content-security-policy')]).toEqual([
    200,
    expect.stringContaining("script-src 'self'"),
  ]);
});

verifiesOnce('daemon:access-tokens', async () => {
  const issuer = await startTokenIssuer('https://mcp.example');
  onTestFinished(issuer.close);
  const oauth = `[daemon.api.oauth]\nissuer = "${issuer.issuer}"\nresource = "https://mcp.example"\n[daemon.api.oauth.scopes]\none = ["one"]\n`;
  const api = await start({ config: TWO + oauth });
  const get = async (path: string, token: string): Promise<Response> =>
    await fetch(api.url + path, { headers: { authorization: `Bearer ${token}` } });
  const metadata = await fetch(`${api.url}/.well-known/oauth-protected-resource/mcp`);
  expect(await metadata.json()).toMatchObject({
    resource: 'https://mcp.example/mcp',
    authorization_servers: [issuer.issuer],
  });
  const token = await issuer.token({ scope: 'one' });
  expect(await (await get('/api/v1/servers', token)).json()).toEqual(['one']);
  const other = await issuer.token({ aud: 'https://other.example', scope: 'one' });
  for (const wrong of [other, `${token}x`, 'unknown-key']) {
    const response = await get('/api/v1/servers', wrong);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain(
      'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource"',
    );
  }
  await api.stop();
  expect(api.log()).toContain('user:ann');
  expect(api.log()).not.toContain(token.split('.')[1]);
});
