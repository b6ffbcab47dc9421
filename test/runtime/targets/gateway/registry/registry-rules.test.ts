import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { startFixture } from '../fixture-provider.ts';
import { startHeld } from '../held-provider.ts';
import { newKey, useRegistryGateways } from './registry-gateways.ts';

const [openai, held] = [await startFixture('openai'), await startHeld()];
const start = useRegistryGateways();
const folder = useTempFolder();
const newFile = (): string => `sqlite:${join(folder(), 'gateway.db')}`;

const SECRET = 'sk-canary-of-the-registry-51c0';
const own = (name: string, more: object = {}): object => ({
  name,
  type: 'openai-compatible',
  api_base: `${openai.url}/v1`,
  api_key: SECRET,
  ...more,
});
const fileEntry = { type: 'openai-compatible', api_base: `${openai.url}/v1`, api_key: 'sk-of-the-file' };
const CONFIG = { providers: { main: fileEntry }, aliases: { old: 'main:good' } };

test('providers and aliases in the configuration file take precedence over stored ones, whichever were created first', async () => {
  const url = newFile();
  const gateway = await start(url, { config: CONFIG });
  const refused = async (method: string, path: string, body?: object): Promise<string> => {
    const answer = await gateway.ask(method, path, body);
    return `${answer.status} ${answer.body.error.message}`;
  };
  const inFile = "409 Provider 'main' is in the configuration file, so it can only be changed there.";
  expect(await refused('PATCH', '/v1/providers/main', { models: ['x'] })).toBe(inFile);
  expect(await refused('DELETE', '/v1/providers/Main')).toBe(inFile);
  expect(await refused('POST', '/v1/providers', own('MAIN'))).toBe(
    "409 Provider 'main' is in the configuration file. Change it there, or use another name.",
  );
  expect(await refused('PATCH', '/v1/aliases/old', { strategy: 'fastest' })).toMatch(
    /^409 Alias 'old' is in/,
  );
  expect(await refused('POST', '/v1/aliases', { name: 'old', targets: ['main:x'] })).toMatch(
    /^409 Alias 'old' is in/,
  );

  await gateway.ask('POST', '/v1/providers', own('late'));
  await gateway.ask('POST', '/v1/aliases', { name: 'new', targets: ['late:good'] });
  const key = await newKey(gateway);
  // A reload keeps database entries; a name that both have is taken from the file.
  const both = { ...CONFIG, providers: { main: fileEntry, late: fileEntry } };
  expect((await gateway.reload(both)).status).toBe(200);
  expect(await gateway.chat('new', key)).toBe(200);
  expect((await openai.last()).headers['authorization']).toBe('Bearer sk-of-the-file');
  expect((await gateway.ask('GET', '/v1/providers')).body).toMatchObject([
    { name: 'late', source: 'file', status: 'active', used_by: ['new'] },
    { name: 'late', source: 'database', status: 'shadowed', used_by: [] },
    { name: 'main' },
  ]);
  expect(gateway.log()).toContain(
    "Provider 'late': The configuration file has a provider with the same name",
  );
  expect(await refused('PATCH', '/v1/providers/late', { models: [] })).toMatch(/^409/);
  // Only the database entry can be deleted; it is not needed while the file has the name.
  expect((await gateway.ask('DELETE', '/v1/providers/late')).status).toBe(204);
  expect(await refused('DELETE', '/v1/providers/late')).toMatch(/^409/);
  // A target without a provider is omitted, and an alias without any target is not served.
  await gateway.ask('PATCH', '/v1/aliases/new', {
    fallbacks: ['main:good'],
    targets: ['late:good', 'main:good'],
  });
  await gateway.ask('POST', '/v1/aliases', { name: 'only', targets: ['late:good'] });
  await gateway.reload(CONFIG);
  expect([await gateway.chat('new', key), await gateway.chat('only', key)]).toEqual([200, 400]);
  expect((await gateway.ask('GET', '/v1/aliases/new')).body).toMatchObject({
    status: 'active',
    problem: 'There is no provider `late` for "late:good".',
  });
  expect((await gateway.ask('GET', '/v1/aliases/only')).body).toMatchObject({
    status: 'invalid',
    targets: [{ model: 'late:good' }],
  });
  // An invalid file changes nothing.
  expect((await gateway.reload({ providers: { late: { type: 'nothing' } } })).status).toBe(422);
  expect(await gateway.chat('new', key)).toBe(200);
});

test('requests in flight keep the settings they started with', async () => {
  const gateway = await start(newFile(), { config: CONFIG });
  await gateway.ask('POST', '/v1/providers', { ...own('slow'), api_base: held.url });
  await gateway.ask('POST', '/v1/aliases', { name: 'soon', targets: ['slow:m'] });
  const key = await newKey(gateway);
  const chat = gateway.chat('soon', key);
  const response = await held.next();
  expect((await gateway.ask('DELETE', '/v1/aliases/soon')).status).toBe(204);
  expect((await gateway.ask('DELETE', '/v1/providers/slow')).status).toBe(204);
  expect(await gateway.chat('soon', key)).toBe(400);
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Late' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  );
  expect(await chat).toBe(200);
});

test('keys and teams need permission for an alias itself, instead of its targets', async () => {
  const gateway = await start(newFile(), { config: CONFIG });
  await gateway.ask('POST', '/v1/teams', { team_id: 'research', allowed_models: ['main:*'] });
  await gateway.ask('POST', '/v1/users', { user_id: 'ada' });
  await gateway.ask('PUT', '/v1/teams/research/members/ada');
  const ofTeam = await newKey(gateway, { user_id: 'ada', team_id: 'research' });
  const limited = await newKey(gateway, { allowed_models: ['main:*'] });
  const named = await newKey(gateway, { allowed_models: ['fast'] });
  await gateway.ask('POST', '/v1/aliases', { name: 'fast', targets: ['main:good'] });
  const statuses = await Promise.all(
    [ofTeam, limited, named].map(async (key) => await gateway.chat('fast', key)),
  );
  expect(statuses).toEqual([403, 403, 200]);
  expect(await gateway.chat('main:good', named)).toBe(403);
  expect((await gateway.ask('GET', '/v1/models', undefined, named)).body.data).toMatchObject([
    { id: 'fast' },
  ]);
  await gateway.ask('POST', '/v1/users', { user_id: 'vic', role: 'viewer' });
  const viewer = await newKey(gateway, { user_id: 'vic', scope: 'manage' });
  expect((await gateway.ask('GET', '/v1/providers', undefined, viewer)).status).toBe(200);
  expect((await gateway.ask('DELETE', '/v1/aliases/fast', undefined, viewer)).status).toBe(403);
  expect((await gateway.ask('GET', '/v1/aliases', undefined, named)).status).toBe(401);
  // Key patterns must not start to match other models.
  expect(
    (await gateway.ask('POST', '/v1/aliases', { name: 'main:cheap', targets: ['main:good'] })).body,
  ).toMatchObject({
    error: { message: expect.stringMatching(/is reserved for a model of the provider `main`/) },
  });
});

test('secrets are sent only to their intended provider', async () => {
  const url = newFile();
  const env = {
    OPENAI_API_KEY: 'sk-of-the-machine',
    AZURE_OPENAI_ENDPOINT: 'https://resource.openai.azure.com',
    AZURE_TENANT_ID: 't',
    AZURE_CLIENT_ID: 'c',
    AZURE_CLIENT_SECRET: 'secret-of-the-machine',
  };
  const gateway = await start(url, { config: CONFIG, env });
  const problem = async (method: string, path: string, body: object): Promise<string> => {
    const { status, text, body: answer } = await gateway.ask(method, path, body);
    expect(text).not.toContain(SECRET);
    return `${status} ${answer.error?.message ?? ''}`;
  };
  const put = async (more: object) => await problem('POST', '/v1/providers', own('x', more));
  expect(await put({ api_base: 'http://169.254.169.254/v1' })).toBe(
    "422 Invalid provider 'x': `api_base`: 169.254.169.254 is not a server address; correct it.",
  );
  expect(await put({ api_base: 'file:///etc/passwd' })).toMatch(
    /`api_base`: expected a URL that starts with http/,
  );
  expect(await put({ api_base: 'http://u:pw@10.0.0.1/' })).toMatch(/contains credentials/);
  expect(await put({ local: false })).toMatch(/which is not public. Set `local: true`/);
  expect(await put({ api_key: '${DATABASE_URL}' })).toMatch(
    /contains \$\{DATABASE_URL\}. Variables are only/,
  );
  expect(await put({ api_key: `${SECRET}\n\nx` })).toMatch(/^422 Invalid provider 'x': `api_key`/);
  expect(await put({ type: 'nothing' })).toMatch(/unknown type `nothing`/);
  expect(await put({ name: 'encoder' })).toMatch(/reserved for encoders/);
  expect(await put({ name: 'a b' })).toMatch(/^422 Invalid provider 'a b': The name must/);
  expect(await put({ type: 'vertex', api_key: undefined, google: { project: 'p' } })).toMatch(
    /this machine’s credentials/,
  );
  const elsewhere = { type: 'azure', api_base: undefined, api_key: undefined };
  expect(await put({ ...elsewhere, entra: { authority: held.url } })).toMatch(/^422/);
  expect(await put({ ...elsewhere, name: 'azure' })).toBe('200 ');
  for (const refused of [
    { path: '/bin/sh' },
    { aws: { profile: 'root' } },
    { google: { credentials: '/x' } },
  ])
    expect(await put(refused)).toMatch(/^422/);

  // The key from the environment belongs to the preset's own address.
  const foreign = { name: 'openai', api_base: `${openai.url}/v1` };
  expect((await gateway.ask('POST', '/v1/providers', foreign)).status).toBe(200);
  const key = await newKey(gateway);
  await gateway.chat('openai:good', key);
  expect((await openai.last()).headers['authorization']).toBeUndefined();

  await gateway.ask('POST', '/v1/providers', own('mine', { headers: { 'X-Key': SECRET } }));
  expect(await problem('PATCH', '/v1/providers/mine', { api_base: held.url, api_key: 'sk-2' })).toBe(
    "422 Invalid provider 'mine': Stored secrets are only sent to the address they were stored for. Set `headers.X-Key` together with the new address.",
  );
  expect(
    (
      await gateway.ask('PATCH', '/v1/providers/mine', {
        api_base: `${openai.url}/v1/`,
        api_key: 'sk-2',
        headers: null,
      })
    ).body,
  ).toMatchObject({ secrets: ['api_key'] });
  expect(await gateway.chat('mine:good', key)).toBe(200);
  expect((await openai.last()).headers).toMatchObject({ authorization: 'Bearer sk-2' });
  // Write access to the database is not enough to redirect a secret.
  const store = await openStore(parseDatabaseUrl(url), { autoMigrate: false });
  await gateway.stop();
  await store.db
    .updateTable('gateway_providers')
    .set({ settings: JSON.stringify({ type: 'openai-compatible', api_base: held.url }) })
    .where('name', '=', 'mine')
    .execute();
  await store.close();
  const moved = await start(url, { config: CONFIG });
  expect((await moved.ask('GET', '/v1/providers/mine')).body).toMatchObject({
    status: 'invalid',
    problem: expect.stringMatching(/cannot be decrypted/),
    secrets: ['api_key'],
  });
  // All other entries are served; the entry becomes usable again with new secrets.
  expect([await moved.chat('main:good', key), await moved.chat('mine:good', key)]).toEqual([200, 400]);
  await moved.ask('PATCH', '/v1/providers/mine', { api_base: `${openai.url}/v1`, api_key: 'sk-3' });
  expect(await moved.chat('mine:good', key)).toBe(200);
  await moved.stop();
  // With another master key the secrets are lost, and nothing else.
  const master = 'another-master-key-of-the-registry-01234567';
  const other = await start(url, { config: CONFIG, env: { GATEWAY_MASTER_KEY: master } });
  expect((await other.ask('GET', '/v1/providers/mine', undefined, master)).body.status).toBe('invalid');
  expect([await other.chat('main:good', key), await other.chat('openai:good', key)]).toEqual([200, 200]);
});
