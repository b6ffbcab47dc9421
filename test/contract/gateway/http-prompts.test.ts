import { expect } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { REPLY } from '../../runtime/targets/gateway/test-provider.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, PROVIDER_KEY, providersFor } from './config.ts';
import { useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = useGateways();
const openai = await startFixture('openai');
const CHAT = '/v1/chat/completions';

verifiesGateway('gateway:log-prompts-off', async (arm) => {
  const config = { providers: providersFor({ openai }), prompt_log: { enabled: true } };
  const api = await start(arm, { config });
  await api.post('/v1/teams', { team_id: 'crew' }, AS_MASTER);
  await api.post('/v1/users', { user_id: 'ada' }, AS_MASTER);
  await api.ask('/v1/teams/crew/members/ada', {
    method: 'PUT',
    headers: { ...AS_MASTER, 'content-type': 'application/json' },
    body: JSON.stringify({ role: 'admin' }),
  });
  const ada = asKey(await createKey(api, { user_id: 'ada', scope: 'manage' }));
  const off = { user_id: 'ada', team_id: 'crew', log_prompts: false };
  const refused = await api.post('/v1/keys', off, ada);
  expect([refused.status, refused.body.error.code]).toEqual([403, 'role_required']);
  expect((await api.post('/v1/keys', off, AS_MASTER)).status).toBe(200);
});

verifiesGateway('gateway:prompts', async (arm) => {
  const prompt_log = { redact: [{ pattern: 'project [a-z]{3,}', ignore_case: true }], max_characters: 300 };
  const api = await start(arm, { config: { providers: providersFor({ openai }), prompt_log } });
  const [off, on] = [await createKey(api), await createKey(api, { log_prompts: true })];
  const asked = (model: string, content: string, more = {}) =>
    chatWith(model, { messages: [{ role: 'user', content }], ...more });
  await api.post(CHAT, asked('openai:good', 'not stored'), asKey(off));
  const secret = `About Project Phoenix, ${PROVIDER_KEY}`;
  const whole = await api.post(CHAT, asked('openai:good', secret), { ...asKey(on), 'x-request-id': 'whole' });
  expect(whole.status).toBe(200);
  const stream = asked('openai:good', 'x'.repeat(500), { stream: true });
  await api.post(CHAT, stream, { ...asKey(on), 'x-request-id': 'streamed' });

  await expect
    .poll(async () => (await api.get('/v1/admin/prompts', AS_MASTER)).body.total, { timeout: 10_000 })
    .toBe(2);
  const read = async (id: string) => (await api.get(`/v1/admin/prompts/${id}`, AS_MASTER)).body;
  expect(await read('whole')).toMatchObject([
    {
      request: expect.stringContaining('"About [redacted], [redacted]"'),
      // The provider repeats the question.
      answer: REPLY.replace('Hello', 'About [redacted], [redacted]'),
      truncated: false,
    },
  ]);
  const streamed = REPLY.replace('Hello', 'x'.repeat(500)).slice(0, 300);
  expect(await read('streamed')).toMatchObject([{ answer: streamed, truncated: true }]);
  expect((await api.get('/v1/usage?request_id=whole', AS_MASTER)).body.logs).toHaveLength(1);
  expect((await api.get('/v1/admin/prompts', asKey(on))).status).toBe(401);
});
