import { expect } from 'vitest';
import { createKey } from './chat.ts';
import { AS_MASTER } from './config.ts';
import { compareThirty, SHADOW, startEvaluated, textOf } from './shadow-traffic.ts';
import { useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const config = await startEvaluated();
const start = useGateways();

verifiesGateway('gateway:shadow', async (arm) => {
  const api = await start(arm, { config });
  const post = async (path: string, body: object) => await api.post(path, body, AS_MASTER);
  await post('/v1/users', { user_id: 'evaluation' });
  const made = await post('/v1/aliases', { name: 'fast', targets: ['openai:current'], shadow: SHADOW });
  expect([made.status, made.body.problem]).toEqual([200, null]);

  const promote = async (body: object) => {
    const { status, body: answer } = await post('/v1/shadow/promote', body);
    return [status, answer.error?.code, answer.detail];
  };
  const missing = await api.get('/v1/shadow/nowhere', AS_MASTER);
  expect([missing.status, missing.body.detail]).toEqual([404, "Alias 'nowhere' not found"]);
  expect(await promote({ alias: 'nowhere', force: true })).toEqual([
    404,
    'alias_not_found',
    "Alias 'nowhere' not found",
  ]);
  expect(await promote({ alias: 'plain', force: true })).toEqual([
    404,
    'shadow_not_found',
    "Alias 'plain' has neither a shadow evaluation nor an A/B test. Set its `shadow` or `ab`.",
  ]);
  expect(await promote({ alias: 'fixed', force: true })).toEqual([
    409,
    'alias_in_file',
    "Alias 'fixed' is in the configuration file. Set its `targets` to [openai:candidate] and remove `shadow` there.",
  ]);
  expect(await promote({ alias: 'fast' })).toEqual([
    409,
    'not_established',
    'The verdict on openai:candidate is undecided. Wait for the verdict not_worse, or force the promotion.',
  ]);
  expect((await promote({})).slice(0, 1)).toEqual([422]);

  // Requests of a key without permission are not compared.
  const other = await createKey(api, { user_id: 'bob' });
  expect(await textOf(api, 'fast', other)).toBe('the current response');
  const key = await createKey(api, { user_id: 'ada', allow_shadow: true });
  expect(await compareThirty([api], 'fast', key)).toMatchObject({
    candidate: 'openai:candidate',
    current: true,
    verdict: 'not_worse',
    message: 'not worse with 95%',
    remaining_rows: null,
    rows: 30,
    failed: 0,
    skipped: {},
    metrics: [
      { name: 'preference', difference: 1, verdict: 'not_worse' },
      { name: 'tool_calls', rows: 0 },
    ],
  });
  expect((await api.get('/v1/shadow', AS_MASTER)).body).toMatchObject([
    { alias: 'fast', verdict: 'not_worse' },
    { alias: 'fixed', verdict: 'undecided', rows: 0 },
  ]);
  const promoted = await post('/v1/shadow/promote', { alias: 'fast' });
  expect([promoted.status, promoted.body]).toMatchObject([
    200,
    { targets: [{ model: 'openai:candidate' }], shadow: null },
  ]);
  expect(await textOf(api, 'fast', key)).toBe('a good response');
  expect((await api.get('/v1/shadow', AS_MASTER)).body).toMatchObject([
    { alias: 'fixed', current: true },
    { alias: 'fast', current: false, verdict: 'not_worse' },
  ]);
});
