import { expect } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { writeConfig } from './arms.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, PROVIDER_KEY, providersFor } from './config.ts';
import { useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const openai = await startFixture('openai');
const start = useGateways();

verifiesGateway('gateway:providers', async (arm) => {
  const config = { providers: providersFor({ openai }), aliases: { old: 'openai:good' } };
  const api = await start(arm, { config });
  const send = async (method: string, path: string, body?: object) =>
    await api.ask(path, {
      method,
      headers: { ...AS_MASTER, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const key = await createKey(api, { allowed_models: ['old', 'new'] });
  const chat = async (model: string): Promise<number> =>
    (await api.post('/v1/chat/completions', chatWith(model), asKey(key))).status;
  const extra = {
    name: 'extra',
    type: 'openai-compatible',
    api_base: `${openai.url}/v1`,
    api_key: PROVIDER_KEY,
  };
  const made = await send('POST', '/v1/providers', { ...extra, timeouts: { answer: '9s' } });
  expect(made.body).toEqual({
    name: 'extra',
    source: 'database',
    status: 'active',
    problem: null,
    type: 'openai',
    api_base: extra.api_base,
    local: true,
    models: null,
    secrets: ['api_key'],
    settings: { type: extra.type, api_base: extra.api_base, timeouts: { answer: '9s' } },
    used_by: [],
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect((await send('POST', '/v1/aliases', { name: 'new', targets: ['extra:good'] })).status).toBe(200);
  expect([await chat('new'), await chat('old'), await chat('extra:good')]).toEqual([200, 200, 403]);
  expect((await send('DELETE', '/v1/providers/extra')).body.detail).toBe(
    "Provider 'extra' is used by the alias new. Change or delete it first.",
  );
  expect((await send('DELETE', '/v1/providers/openai')).body.detail).toBe(
    "Provider 'openai' is in the configuration file, so it can only be changed there.",
  );
  expect((await send('PATCH', '/v1/aliases/new', { targets: ['nobody:x'] })).body.detail).toBe(
    'Invalid alias \'new\': There is no provider `nobody` for "nobody:x".',
  );
  // A reload replaces only the file's entries.
  writeConfig(api.folder, { ...config, aliases: { newer: 'openai:good' } });
  expect((await send('POST', '/v1/admin/reload')).status).toBe(200);
  expect([await chat('new'), await chat('old')]).toEqual([200, 400]);
  expect((await api.get('/v1/aliases', AS_MASTER)).body).toMatchObject([
    { name: 'new', source: 'database' },
    { name: 'newer', source: 'file' },
  ]);
  for (const path of ['/v1/aliases/new', '/v1/providers/extra'])
    expect((await send('DELETE', path)).status).toBe(204);
  expect(await chat('new')).toBe(400);
  await api.stop();
  expect(api.log()).not.toContain(PROVIDER_KEY);
});
