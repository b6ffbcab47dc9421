import { afterAll, expect, test, vi } from 'vitest';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import { CACHE_DEFAULTS } from '#gateway/requests/cache/cache-settings.ts';
import { startFixture } from '../../fixture-provider.ts';
import { startRecorder } from '../../recording-proxy.ts';
import { instanceOf, priced, runGateway } from '../completions/running-gateway.ts';
import { ask } from './ways.ts';

const fixture = await startFixture('openai');
const arrived: string[] = [];
const recorder = await startRecorder(fixture.url, arrived);
const account = {
  name: 'account',
  kind: 'patterns' as const,
  patterns: new Map([['account', compileLinearPattern(String.raw`ACC-\d{6}`)]]),
  action: 'mask' as const,
};
// The fixture's greeting stands for text that a model must not write.
const greeting = {
  name: 'greeting',
  kind: 'patterns' as const,
  patterns: new Map([['greeting', compileLinearPattern('Grüße')]]),
  action: 'mask' as const,
};
const gateway = await runGateway({
  models: {
    providers: [instanceOf('openai', { ...fixture, url: recorder.url }, { dialect: { hasResponses: true } })],
    pricing: [priced('openai:good', 1, 1)],
    guardrails: {
      profiles: [account, greeting],
      demanded: [
        { profile: 'account', mode: 'block', onUnavailable: 'block', on: ['input'] },
        { profile: 'greeting', mode: 'block', onUnavailable: 'block', on: ['output'] },
      ],
    },
  },
});
afterAll(() => gateway.stop());

const newKey = async (fields: object = {}): Promise<{ readonly id: string; readonly key: string }> =>
  (await gateway.admin('POST', '/v1/keys', { user_id: 'ann', ...fields })) as unknown as {
    id: string;
    key: string;
  };
const finish = async (): Promise<void> => void (await fetch(`${fixture.url}/finish`, { method: 'POST' }));
// oxlint-disable-next-line typescript/no-explicit-any -- tests inspect its structure.
const json = async (key: string, method: string, path: string, body?: object): Promise<any> =>
  JSON.parse((await ask({ url: gateway.url, key }, method, path, body)).text);

async function uploaded(key: string, text: string, purpose = 'batch', name = 'b.jsonl'): Promise<string> {
  const form = new FormData();
  form.set('purpose', purpose);
  form.set('file', new File([text], name));
  return (await json(key, 'POST', '/v1/files', form)).id;
}
const lineOf = (id: string, content: string, more: object = {}): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'openai:good', messages: [{ role: 'user', content }], ...more },
  });
const ABOUT = { endpoint: '/v1/chat/completions', completion_window: '24h' };

test("masked values are restored in a batch's output, and the output itself is masked", async () => {
  const { key } = await newKey();
  const lines = [lineOf('one', 'Say ACC-111111.'), lineOf('two', 'Say ACC-222222 and ACC-333333.')];
  const file = await uploaded(key, lines.join('\n'));
  const sent = arrived.findLast((one) => one.startsWith('POST /v1/files')) ?? '';
  expect(sent).not.toMatch(/ACC-\d/);
  expect(sent.match(/\[ACCOUNT_\d\]/g)).toEqual(['[ACCOUNT_1]', '[ACCOUNT_1]', '[ACCOUNT_2]']);
  const { id } = await json(key, 'POST', '/v1/batches', { ...ABOUT, input_file_id: file });
  await finish();
  const { output_file_id: output } = await json(key, 'GET', `/v1/batches/${id}`);
  const { text } = await ask({ url: gateway.url, key }, 'GET', `/v1/files/${output}/content`);
  const answers = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ custom_id: custom }) => custom)).toEqual(['one', 'two']);
  expect(answers[0].response.body.choices[0].message.content).toContain('Say ACC-111111.');
  expect(answers[1].response.body.choices[0].message.content).toContain('Say ACC-222222 and ACC-333333.');
  expect(text).toContain('[GREETING_1]');
  expect(text).not.toContain('Grüße');
});

test("a stored response is masked on retrieval, with the request's values restored", async () => {
  const { key } = await newKey();
  const body = { model: 'openai:good', input: 'Say ACC-444444.', background: true };
  const { id } = await json(key, 'POST', '/v1/responses', body);
  await finish();
  const { text } = await ask({ url: gateway.url, key }, 'GET', `/v1/responses/${id}`);
  expect(text).not.toContain('Grüße');
  expect(text).not.toContain('[ACCOUNT_1]');
  const followed = await ask({ url: gateway.url, key }, 'GET', `/v1/responses/${id}?stream=true`);
  expect([followed.status, followed.text.includes('cannot be streamed')]).toEqual([403, true]);
});

test('text in uploaded files is masked without changing the JSON around it, and binary files are unchanged', async () => {
  const { key } = await newKey();
  await uploaded(key, '{"messages":[{"content":"ACC-555555"}],"n":1e400}\n', 'fine-tune', 'tune.jsonl');
  expect(arrived.at(-1)).toContain('{"messages":[{"content":"[ACCOUNT_1]"}],"n":1e400}');
  await uploaded(key, 'Dear ACC-666666,\nhello', 'user_data', 'letter.txt');
  expect(arrived.at(-1)).toContain('Dear [ACCOUNT_1],\nhello');
  const binary = '\u0000ACC-777777';
  await uploaded(key, binary, 'user_data', 'image.png');
  expect(arrived.at(-1)).toContain(binary);
});

test('batches and responses of a revoked key are canceled at the provider', async () => {
  const { id: keyId, key } = await newKey();
  const file = await uploaded(key, lineOf('one', 'Hello'));
  const { id: batch } = await json(key, 'POST', '/v1/batches', { ...ABOUT, input_file_id: file });
  const body = { model: 'openai:good', input: 'Hello', background: true };
  const { id: response } = await json(key, 'POST', '/v1/responses', body);
  await gateway.admin('PATCH', `/v1/keys/${keyId}`, { is_active: false });
  await vi.waitFor(
    () => {
      const cancelled = arrived.filter((one) => /^POST \/v1\/\w+\/[^/]+\/cancel/.test(one)).join('\n');
      expect(cancelled).toContain(`/v1/batches/${batch}/cancel`);
      expect(cancelled).toContain(`/v1/responses/${response}/cancel`);
    },
    { timeout: 20_000 },
  );
}, 30_000);

test('responses to masked requests are not cached, and a header reports this', async () => {
  const cached = await runGateway({
    models: {
      providers: [instanceOf('openai', fixture)],
      guardrails: {
        profiles: [account],
        demanded: [{ profile: 'account', mode: 'block', onUnavailable: 'block', on: ['input'] }],
      },
      cache: { ...CACHE_DEFAULTS, semantic: undefined },
    },
  });
  try {
    const key = await cached.key({ user_id: 'ann' });
    const header = async (content: string) => {
      const request = { model: 'openai:good', messages: [{ role: 'user', content }] };
      return (await cached.post('/v1/chat/completions', request, key)).headers.get('x-cache');
    };
    expect([await header('plain'), await header('plain')]).toEqual(['miss', 'hit']);
    expect([await header('ACC-123456'), await header('ACC-123456')]).toEqual(['bypass', 'bypass']);
  } finally {
    await cached.stop();
  }
});
