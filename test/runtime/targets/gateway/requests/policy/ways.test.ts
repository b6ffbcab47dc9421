import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'undici';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import { startFixture } from '../../fixture-provider.ts';
import { useGateway } from '../../api/use-gateway.ts';
import { startRecorder } from '../../recording-proxy.ts';
import { instanceOf, MASTER, priced, runGateway } from '../completions/running-gateway.ts';
import { ask, NO_WAYS, type Way, WAYS } from './ways.ts';

// All user text reaches providers in one of these ways. Each test covers all of them, with real requests to a real
// server that records what arrives.
const [openai, anthropic, gemini, words] = [
  await startFixture('openai'),
  await startFixture('anthropic'),
  await startFixture('gemini'),
  await startFixture('encoder'),
];
/** Everything that has reached a provider, with its path. */
const arrived: string[] = [];
const recorders = {
  openai: await startRecorder(openai.url, arrived),
  anthropic: await startRecorder(anthropic.url, arrived),
  gemini: await startRecorder(gemini.url, arrived),
  words: await startRecorder(words.url, arrived),
};
const patterns = (name: string, source: string, action: 'mask' | 'block') => ({
  name,
  kind: 'patterns' as const,
  patterns: new Map([[name, compileLinearPattern(source)]]),
  action,
});
const models = ['openai:good', 'anthropic:good', 'gemini:good', 'openai:whisper-1', 'encoder:words'];
const gateway = await runGateway({
  models: {
    providers: [
      instanceOf('openai', { ...openai, url: recorders.openai.url }, { dialect: { hasResponses: true } }),
      instanceOf('anthropic', { ...anthropic, url: recorders.anthropic.url }),
      instanceOf('gemini', { ...gemini, url: recorders.gemini.url }),
      { name: 'words', type: 'encoder', baseUrl: recorders.words.url, local: true },
    ],
    pricing: models.map((model) => priced(model, 1000, 1000)),
    guardrails: {
      profiles: [
        patterns('account', String.raw`ACC-\d{6}`, 'mask'),
        patterns('secret', 'TOPSECRET', 'block'),
      ],
      demanded: [
        { profile: 'account', mode: 'block', onUnavailable: 'block', on: ['input', 'output'] },
        { profile: 'secret', mode: 'block', onUnavailable: 'block', on: ['input', 'output'] },
      ],
    },
    prompts: { isDefault: true, maxCharacters: 65_536, patterns: [] },
  },
});
afterAll(() => gateway.stop());

const finish = async (): Promise<void> => void (await fetch(`${openai.url}/finish`, { method: 'POST' }));
const newKey = async (fields: object): Promise<{ readonly id: string; readonly key: string }> =>
  (await gateway.admin('POST', '/v1/keys', fields)) as unknown as { id: string; key: string };
const asked = (key: string) => ({ url: gateway.url, key, finish });
const send = (way: Way, key: string, text: string) => way.send(asked(key), text);
const logged = async (keyId: string): Promise<readonly string[]> => {
  const { items } = (await gateway.admin('GET', `/v1/admin/prompts?api_key_id=${keyId}`)) as unknown as {
    items: readonly { readonly request_id: string }[];
  };
  const all = await Promise.all(
    [...new Set(items.map((one) => one.request_id))].map((id) =>
      gateway.admin('GET', `/v1/admin/prompts/${encodeURIComponent(id)}`),
    ),
  );
  return (all as unknown as readonly (readonly { readonly request: string }[])[])
    .flat()
    .map((one) => one.request);
};

/** Keys that must not reach a provider. */
const keys = (async () => {
  const limited = await newKey({ user_id: 'ann', allowed_models: ['nothing:*'] });
  const disabled = await newKey({ user_id: 'ann' });
  const poor = await newKey({ user_id: 'ann', budget: { max_budget: 0.000_001 } });
  await gateway.admin('PATCH', `/v1/keys/${disabled.id}`, { is_active: false });
  const expires = Date.now() + 5000;
  const expired = await newKey({ user_id: 'ann', expires_at: new Date(expires).toISOString() });
  await sleep(Math.max(0, expires + 10 - Date.now()));
  return { limited: limited.key, disabled: disabled.key, expired: expired.key, poor: poor.key };
})();

describe('the table of provider routes is complete', () => {
  const opened = useGateway();
  test('every route of the app is in the table or sends no user data to a provider', () => {
    const known = new Set(WAYS.flatMap(({ routes }) => routes));
    const routes = new Set(opened().app.routes.map(({ method, path }) => `${method} ${path}`));
    const unknown = [...routes].filter(
      (route) => !known.has(route) && !NO_WAYS.some((one) => one.test(route)),
    );
    expect(unknown).toEqual([]);
    expect([...known].filter((route) => !routes.has(route))).toEqual([]);
  });
});

describe.each(WAYS.map((way) => [way.name, way] as const))('%s', (_name, way) => {
  test('guardrails mask what the provider receives, and the prompt log contains only masked text', async () => {
    const { id, key } = await newKey({ user_id: 'ann' });
    const before = arrived.length;
    const { status, text } = await send(way, key, 'My account is ACC-123456.');
    expect([status, text.includes('guardrail')]).toEqual([200, false]);
    const seen = arrived.slice(before).join('\n');
    expect(seen).toContain('[ACCOUNT_1]');
    expect(seen).not.toContain('ACC-123456');
    await expect.poll(async () => (await logged(id)).join('\n')).toContain('[ACCOUNT_1]');
    expect((await logged(id)).join('\n')).not.toContain('ACC-123456');
    const hits = (await gateway.admin('GET', '/v1/guardrail-hits?limit=200')) as unknown as {
      items: readonly { readonly api_key_id: string; readonly mode: string; readonly explanation: string }[];
    };
    expect(hits.items.filter((one) => one.api_key_id === id)).toContainEqual(
      expect.objectContaining({ mode: 'mask', explanation: expect.stringMatching(/^masked: account \d$/) }),
    );
  });

  test('guardrails block text that the provider must not receive', async () => {
    const { key } = await newKey({ user_id: 'ann' });
    const before = arrived.length;
    const { status, text } = await send(way, key, 'This is TOPSECRET.');
    expect([status, text.includes('guardrail policy')]).toEqual([403, true]);
    expect(arrived.slice(before).join('\n')).not.toContain('TOPSECRET');
  });

  test("the key's models, status, budget and rate limit are enforced", async () => {
    const after = arrived.length;
    // A key without models of a file-storing provider has no such provider.
    expect([400, 403]).toContain((await send(way, (await keys).limited, 'Hello')).status);
    expect((await send(way, (await keys).disabled, 'Hello')).status).toBe(401);
    expect((await send(way, (await keys).expired, 'Hello')).status).toBe(401);
    const { poor } = await keys;
    const refused = way.isFree === true ? 403 : (await send(way, poor, 'Hello')).status;
    expect([402, 403, 429]).toContain(refused);
    // Uploading a batch file costs nothing.
    expect(arrived.slice(after).filter((one) => !one.startsWith('POST /v1/files\n'))).toEqual([]);
    if (way.waits === true) return;
    const slow = await newKey({ user_id: 'ann', rpm: 1 });
    const allowed = way.isFree === true ? 10 : 1;
    for (let sent = 0; sent < allowed; sent += 1)
      expect((await send(way, slow.key, 'Hello')).status).toBe(200);
    const before = arrived.length;
    expect((await send(way, slow.key, 'Hello')).status).toBe(429);
    expect(arrived.slice(before).filter((one) => !one.startsWith('POST /v1/files\n'))).toEqual([]);
  });
});

test('a realtime session is rejected if a guardrail applies that cannot check realtime sessions', async () => {
  const { key } = await newKey({ user_id: 'ann' });
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=openai:good`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await new Promise((resolve) => socket.addEventListener('error', resolve));
  expect(recorders.openai.sockets()).toBe(0);
  expect((await ask({ url: gateway.url, key: MASTER }, 'GET', '/v1/models')).status).toBe(200);
});
