import { expect } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { startKeyGate } from '../../runtime/targets/gateway/key-gate.ts';
import { verifiesOnce } from '../verifies.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const CHAT = '/v1/chat/completions';
const startShared = shareGateways();
const { start } = useGatewayProcesses();
const openai = await startFixture('openai');
const gate = await startKeyGate(openai.url);
const secretOf = (name: string): string => `sk-canary-of-key-${name}-8c1f2d`;
const keysFor = (weights: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(weights).map(([name, weight]) => [name, { api_key: secretOf(name), weight }]),
  );
const files = {
  config: {
    providers: {
      openai: { api_base: `${gate.url}/v1`, keys: keysFor({ main: 1e9, second: 1 }) },
      spread: { type: 'openai', api_base: `${gate.url}/v1`, keys: keysFor({ a: 1, b: 1, c: 1 }) },
    },
    affinity: {},
    pricing: {
      'spread:good': {
        input_price_per_million: 10,
        output_price_per_million: 10,
        cached_input_price_per_million: 1,
      },
    },
  },
};
const used = (): string[] => gate.seen.splice(0).map(({ key }) => key);

interface KeyState {
  readonly provider: string;
  readonly key: string;
  readonly calls: number;
  readonly cooling: readonly { readonly reason: string; readonly model: string | null }[];
}

verifiesGateway('gateway:provider-keys', async (arm) => {
  const api = await startShared(arm, files);
  const headers = asKey(await createKey(api, { user_id: `keys-${arm.name}` }));
  gate.judge = ({ key }) => (key === secretOf('main') ? { status: 401 } : undefined);
  used();
  for (const stream of [false, true]) {
    const { status, text } = await api.post(CHAT, chatWith('openai:good', { stream }), headers);
    expect([status, text.includes('canary')]).toEqual([200, false]);
  }
  expect(used()).toEqual([secretOf('main'), secretOf('second'), secretOf('second')]);
  const rows = await api.get(`/v1/users/keys-${arm.name}/usage`, AS_MASTER);
  expect(rows.body).toMatchObject([{ provider_key: 'second' }, { provider_key: 'second' }]);
  const states = await api.get('/v1/provider-keys', AS_MASTER);
  const main = (states.body as unknown as readonly KeyState[]).find(({ key }) => key === 'main');
  expect(main).toMatchObject({ calls: 1, cooling: [{ reason: 'credentials', model: null }] });
  const metrics = await api.get('/metrics');
  expect(metrics.text).toMatch(/gateway_provider_key_cooling_seconds\{provider="openai",key="main"\} \d/);
  for (const { text } of [rows, states, metrics]) expect(text).not.toContain('canary');
  gate.judge = () => undefined;
});

verifiesGateway('gateway:sessions', async (arm) => {
  const api = await startShared(arm, files);
  const userId = `sessions-${arm.name}`;
  const headers = asKey(await createKey(api, { user_id: userId }));
  const all = new Set<string>();
  for (let session = 0; session < 10; session += 1) {
    used();
    const own = { ...headers, 'x-gateway-session': `s${session}` };
    const body = chatWith('spread:good', { max_tokens: 9 });
    for (const path of [CHAT, '/v1/messages', CHAT])
      expect((await api.post(path, body, own)).status).toBe(200);
    const ofSession = new Set(used());
    expect(ofSession.size).toBe(1);
    for (const key of ofSession) all.add(key);
  }
  expect(all.size).toBeGreaterThan(1);
  const { body } = await api.get(`/v1/usage?user_id=${userId}`, AS_MASTER);
  const { totals } = body as unknown as { readonly totals: Readonly<Record<string, number>> };
  expect(totals['cached_tokens']).toBeGreaterThan(0);
  expect(totals['cache_saved']).toBeCloseTo(((totals['cached_tokens'] ?? 0) * 9) / 1_000_000, 9);
});

verifiesOnce('gateway-process:threads-keys', async () => {
  const gateway = await start(files, ['--threads', '3']);
  const headers = asKey(await createKey(gateway, { user_id: 'threads' }));
  const send = async (model: string, session: string): Promise<number> => {
    const response = await fetch(`${gateway.url}${CHAT}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-session': session, ...headers },
      body: JSON.stringify(chatWith(model)),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const states = async () =>
    (await gateway.get('/v1/provider-keys', AS_MASTER)).body as unknown as readonly KeyState[];
  gate.judge = ({ key }) => (key === secretOf('main') ? { status: 401 } : undefined);
  used();
  // Sessions prefer the key that has almost all of the weight.
  expect(await send('openai:good', 'first')).toBe(200);
  await expect
    .poll(async () => (await states()).find(({ key }) => key === 'main')?.cooling.length)
    .toBeGreaterThan(0);
  // All threads return their states, after they have applied earlier messages.
  await states();
  const statuses = await Promise.all(Array.from({ length: 40 }, (_, at) => send('openai:good', `s${at}`)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(used().filter((key) => key === secretOf('main'))).toHaveLength(1);
  expect((await states()).reduce((sum, { calls }) => sum + calls, 0)).toBe(42);
  gate.judge = () => undefined;
  // Many connections reach all threads.
  await Promise.all(Array.from({ length: 40 }, () => send('spread:good', 'one')));
  expect(new Set(used()).size).toBe(1);
});
