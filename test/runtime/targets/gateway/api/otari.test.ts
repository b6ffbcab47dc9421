import { expect, test } from 'vitest';
import { withoutOtariRoot } from '#gateway/api/otari-paths.ts';
import { startFixture } from '../fixture-provider.ts';
import { providerOf } from '../test-provider.ts';
import { useGateway } from './use-gateway.ts';

const fixture = await startFixture('openai');
const gateway = useGateway(() => ({ providers: [providerOf('openai', fixture)] }));

test("requests with Otari's paths and key header are accepted", async () => {
  const { ask, request } = gateway();
  const { body } = await ask('POST', '/api/v1/keys', { user_id: 'ann' });
  const headers = {
    'Otari-Key': `Bearer ${body.key}`,
    authorization: 'Bearer unused',
    'content-type': 'application/json',
  };
  const chat = { model: 'openai:good', messages: [{ role: 'user', content: 'Hello' }] };
  const answer = await request('/api/v1/chat/completions', {
    method: 'POST',
    headers,
    body: JSON.stringify(chat),
  });
  expect([answer.status, answer.body.object]).toEqual([200, 'chat.completion']);
  const list = await request('/api/v1/models', { headers });
  expect(list.body).toMatchObject({
    object: 'list',
    data: [{ id: 'openai:good', object: 'model' }, {}],
    total: 2,
  });
  expect((await ask('GET', '/api/v1/users/ann/usage')).body).toMatchObject([
    { endpoint: '/v1/chat/completions' },
  ]);
  const refused = await request('/api/v1/messages', { method: 'POST', headers, body: '{}' });
  expect([refused.status, refused.body.type]).toEqual([422, 'error']);
});

test("only Otari's own paths are rewritten, so that workflow paths stay available", () => {
  for (const path of ['/api/v1/jobs/x', '/api/v1/models', '/api/v1/filesystem', '/v1/files'])
    expect(withoutOtariRoot(path)).toBe(path);
  expect(withoutOtariRoot('/api/v1/files/x/content')).toBe('/v1/files/x/content');
});
