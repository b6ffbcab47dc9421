import { expect } from 'vitest';
import { writeConfig } from './arms.ts';
import { AS_MASTER } from './config.ts';
import { useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = useGateways();

verifiesGateway('gateway:audit', async (arm) => {
  const api = await start(arm, { config: {} });
  const id = { ...AS_MASTER, 'x-request-id': 'change-1' };
  expect((await api.post('/v1/users', { user_id: 'ada' }, id)).status).toBe(200);
  expect((await api.post('/v1/users', { user_id: 'eve' })).status).toBe(401);
  writeConfig(api.folder, {
    aliases: { fast: 'a:b' },
    providers: { a: { type: 'openai', api_base: 'http://127.0.0.1:9/v1' } },
  });
  expect((await api.post('/v1/admin/reload', {}, AS_MASTER)).status).toBe(200);
  writeConfig(api.folder, 'providers: 5');
  expect((await api.post('/v1/admin/reload', {}, AS_MASTER)).status).toBe(422);

  expect((await api.get('/v1/admin/audit')).status).toBe(401);
  const { body } = await api.get('/v1/admin/audit', AS_MASTER);
  const address = '127.0.0.1';
  expect(body.items).toMatchObject([
    { action: 'config.reload', outcome: 'failed', reason: 'ConfigError', actor: 'master', address },
    { action: 'config.reload', outcome: 'success', after: { changed: ['aliases', 'providers'] } },
    { action: 'access.refuse', outcome: 'refused', actor: 'anyone', address, object: 'POST /v1/users' },
    { action: 'user.create', object: 'ada', actor: 'master', address, request_id: 'change-1' },
  ]);
  const gone = await api.ask(`/v1/admin/audit`, { method: 'DELETE', headers: AS_MASTER });
  expect(gone.status).toBe(405);
});
