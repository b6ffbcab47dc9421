import { expect } from 'vitest';
import { describeDatabases } from '../../runtime/targets/gateway/databases.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { verifiesOnce } from '../verifies.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { shareGateways } from './shared-gateways.ts';
import { PRICING } from './spending-clients.ts';
import { verifiesGateway } from './verifies.ts';

const CHAT = '/v1/chat/completions';
const startShared = shareGateways();
const { start } = useGatewayProcesses();
const openai = await startFixture('openai');
const files = { config: { providers: providersFor({ openai }), pricing: PRICING } };

const withKey = (secret: string, key: string): Record<string, string> => ({
  ...asKey(secret),
  'idempotency-key': key,
});

verifiesGateway('gateway:idempotency', async (arm) => {
  const api = await startShared(arm, files);
  const headers = withKey(await createKey(api, { user_id: 'repeats' }), 'order-17');
  for (const stream of [false, true]) {
    const own = { ...headers, 'idempotency-key': `order-${stream}` };
    const ask = async (more = {}) => await api.post(CHAT, chatWith('openai:good', { stream, ...more }), own);
    const [first, again, other] = [await ask(), await ask(), await ask({ max_tokens: 7 })];
    expect([first.status, again.status, other.status]).toEqual([200, 200, 422]);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(other.body).toMatchObject({ error: { code: 'idempotency_key_reused' } });
  }
  const { body } = await api.get('/v1/users/repeats/usage', AS_MASTER);
  expect(body).toHaveLength(2);
});

verifiesOnce('gateway-process:threads-idempotency', async () => {
  const gateway = await start(files, ['--threads', '3']);
  const headers = withKey(await createKey(gateway, { user_id: 'ann' }), 'a');
  const texts = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const response = await fetch(`${gateway.url}${CHAT}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(chatWith('openai:good')),
      });
      return `${response.status} ${await response.text()}`;
    }),
  );
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toMatch(/^200 /);
  expect((await gateway.get('/v1/users/ann/usage', AS_MASTER)).body).toHaveLength(1);
});

describeDatabases((database) => {
  verifiesOnce('gateway-process:killed-idempotency', async () => {
    const url = await database.create();
    const flags = ['--database-url', url];
    let gateway = await start(files, flags);
    const secret = await createKey(gateway, { user_id: 'ann' });
    const model = `silent@${database.kind}`;
    const finished = await gateway.post(CHAT, chatWith('openai:good'), withKey(secret, 'finished'));
    const lost = gateway.post(CHAT, chatWith(`openai:${model}`), withKey(secret, 'lost')).then(
      () => 'response',
      () => 'disconnected',
    );
    await openai.happened('waiting', model);
    gateway.child.kill('SIGKILL');
    await gateway.ended;
    expect(await lost).toBe('disconnected');
    gateway = await start(files, flags);
    const again = await gateway.post(CHAT, chatWith('openai:good'), withKey(secret, 'finished'));
    expect([again.status, again.text]).toEqual([200, finished.text]);
    const repeated = gateway.post(CHAT, chatWith(`openai:${model}`), withKey(secret, 'lost'));
    await openai.happened('waiting', model);
    await openai.release();
    expect((await repeated).status).toBe(200);
    const { body } = await gateway.get('/v1/users/ann/usage', AS_MASTER);
    const statuses = (body as unknown as { status: string }[]).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'success')).toHaveLength(2);
  });
});
