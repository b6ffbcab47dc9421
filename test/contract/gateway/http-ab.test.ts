import { expect } from 'vitest';
import { AB, askAs, PEOPLE, startTested } from './ab-traffic.ts';
import { createKey } from './chat.ts';
import { AS_MASTER } from './config.ts';
import { useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const { config, fail, recover } = await startTested();
const start = useGateways();

verifiesGateway('gateway:ab', async (arm) => {
  recover();
  const api = await start(arm, { config });
  const post = async (path: string, body: object) => await api.post(path, body, AS_MASTER);
  const both = await post('/v1/aliases', {
    name: 'both',
    targets: ['openai:current'],
    ab: AB,
    shadow: { model: 'openai:candidate', share: 1, user: 'evaluation', judge: 'openai:judge' },
  });
  expect(both.status).toBe(422);
  expect(both.text).toContain('`ab` cannot be combined with `shadow`; remove one of them.');
  const share = await post('/v1/aliases', {
    name: 'all',
    targets: ['openai:current'],
    ab: { ...AB, share: 1 },
  });
  expect(share.status).toBe(422);
  const made = await post('/v1/aliases', { name: 'fast', targets: ['openai:current'], ab: AB });
  expect([made.status, made.body.problem, made.body.ab]).toEqual([200, null, AB]);

  const key = await createKey(api, { user_id: 'app' });
  const texts = new Map([
    ['current', 'the current response'],
    ['candidate', 'the response of the candidate'],
  ]);
  const before = await Promise.all(PEOPLE.map((person) => askAs(api, 'fast', key, person)));
  for (const [variant, text] of before) expect(text).toBe(texts.get(variant ?? ''));
  expect(new Set(before.map(([variant]) => variant)).size).toBe(2);

  // The users of the candidate keep it, and get responses although it fails.
  fail();
  const after = await Promise.all(PEOPLE.map((person) => askAs(api, 'fast', key, person)));
  expect(after.map(([variant]) => variant)).toEqual(before.map(([variant]) => variant));
  expect(new Set(after.map(([, text]) => text))).toEqual(new Set(['the current response']));
  const evaluation = async () => (await api.get('/v1/shadow/fast', AS_MASTER)).body;
  await expect.poll(async () => (await evaluation()).rows, { timeout: 60_000 }).toBe(120);
  expect(await evaluation()).toMatchObject({
    mode: 'ab',
    by: 'end_user',
    share: 0.5,
    user: null,
    failed: before.filter(([variant]) => variant === 'candidate').length,
    metrics: [{ name: 'success', decides: true }],
    skipped: {},
  });

  const refused = await post('/v1/shadow/promote', { alias: 'fixed', force: true });
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    "Alias 'fixed' is in the configuration file. Set its `targets` to [openai:candidate] and remove `ab` there.",
  ]);
  const promoted = await post('/v1/shadow/promote', { alias: 'fast', force: true });
  expect(promoted.body).toMatchObject({ targets: [{ model: 'openai:candidate' }], ab: null });
  expect((await api.get('/v1/shadow', AS_MASTER)).body).toMatchObject([
    { alias: 'fixed', mode: 'ab', current: true },
    { alias: 'fast', mode: 'ab', current: false, share: null },
  ]);
});
