import { expect, test } from 'vitest';
import { useGateway } from './use-gateway.ts';

const gateway = useGateway();

const BY_KEYS = [
  ['GET', '/v1/keys/me'],
  ['GET', '/v1/pricing'],
  ['GET', '/v1/pricing/a:b'],
  ['GET', '/v1/pricing/a:b/history'],
  ['GET', '/v1/usage'],
  ['GET', '/v1/models'],
  ['GET', '/v1/models/a:b'],
  ['GET', '/api/v1/datasets/'],
  ['POST', '/api/v1/datasets/'],
  ['GET', '/api/v1/experiments/'],
  ['POST', '/api/v1/experiments/'],
  ['GET', '/api/v1/workflows/'],
  ['GET', '/api/v1/jobs/'],
  ['GET', '/api/v1/models/'],
  ['POST', '/v1/chat/completions'],
  ['POST', '/v1/messages'],
] as const;

test.each(BY_KEYS)('%s %s rejects a blocked or deleted user', async (method, path) => {
  const { ask } = gateway();
  const { key, id, user_id: user } = (await ask('POST', '/v1/keys', {})).body;
  const send = async (): Promise<unknown[]> => {
    const { status, body } = await ask(method, path, undefined, { 'X-Gateway-Key': `Bearer ${key}` });
    return [status, body.error.message, body.error.code];
  };
  await ask('PATCH', `/v1/users/${user}`, { blocked: true });
  expect(await send()).toEqual([403, `User '${user}' is blocked`, expect.any(String)]);
  await ask('DELETE', `/v1/users/${user}`);
  await ask('PATCH', `/v1/keys/${id}`, { is_active: true });
  expect(await send()).toEqual([404, `User '${user}' not found`, expect.any(String)]);
});
