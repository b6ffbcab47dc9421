import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type FixtureProvider, startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import { addressOf, SERVING } from '../service-arms.ts';
import { verifiesOnce } from '../verifies.ts';
import { environmentOf, MASTER_KEY, writeFiles } from './arms.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, PROVIDER_KEY, providersFor } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const { start, launch, run } = useGatewayProcesses();
const startOn = useGateways();
const temp = useTempFolder();
const openai: FixtureProvider = await startFixture('openai');
const CONFIG = { providers: providersFor({ openai }) };

verifiesGateway('gateway-process:serves', async (arm) => {
  const api = await startOn(arm, {
    config: [
      'providers:',
      `  openai: {api_base: "${openai.url}/v1", api_key: "\${THE_KEY}"}`,
      'aliases: {fast: openai:good}',
      'pricing: {"openai:good": {input_price_per_million: 1, output_price_per_million: 2}}',
    ].join('\n'),
    env: { THE_KEY: PROVIDER_KEY },
  });
  const key = await createKey(api, { user_id: 'ada' });
  const { status, body } = await api.post('/v1/chat/completions', chatWith('fast'), asKey(key));
  expect(status).toBe(200);
  expect(body).toMatchObject({ model: 'fast', usage: { prompt_tokens: 21, completion_tokens: 9 } });
  expect((await openai.last()).headers['authorization']).toBe(`Bearer ${PROVIDER_KEY}`);
  const { body: ada } = await api.get('/v1/users/ada', AS_MASTER);
  expect(ada.spend).toBeCloseTo((21 * 1 + 9 * 2) / 1e6, 9);
});

const failing = async (
  flags: readonly string[],
  env: Readonly<Record<string, string>> = environmentOf({}),
): Promise<string> => {
  const { ended, stderr } = run(['serve', '--port', '0', '--data-dir', join(temp(), 'data'), ...flags], env);
  expect(await ended).toBe(1);
  expect(stderr()).not.toMatch(/\n +at /);
  return stderr();
};

verifiesOnce('gateway-process:bad-config', async () => {
  const file = join(temp(), 'gateway.yml');
  const with_ = async (text: string): Promise<string> => {
    writeFileSync(file, text, { mode: 0o600 });
    return failing(['--config', file]);
  };
  expect(await failing(['--config', join(temp(), 'none.yml')])).toMatch(
    /^Error: --config: .*none\.yml does not exist\./,
  );
  expect(await failing(['--config', temp()])).toMatch(/^Error: Cannot read .*it is a folder/);
  expect(await with_('providers: {openai: {api_key: "x}')).toMatch(
    /gateway\.yml:1:\d+ .*quote is never closed/,
  );
  expect(await with_('provider: {}')).toMatch(
    /gateway\.yml:1:1  unknown key `provider`; did you mean `providers`\?/,
  );
  expect(await with_('providers:\n  openai: {api_key: "${NOT_SET_ANYWHERE}"}')).toMatch(
    /gateway\.yml:2:\d+ {2}providers\.openai\.api_key: the variable NOT_SET_ANYWHERE is not set/,
  );
  const all = await with_('port: high\nmaster_key: 12\nproviders: {opnai: {}}\naliases: {a: openai:x}');
  expect(all.split('\n').filter((line) => line.includes('gateway.yml:'))).toHaveLength(4);
});

verifiesOnce('gateway-process:database', async () => {
  const lines = (text: string): number => text.trim().split('\n').length;
  const postgres = await failing(['--database-url', 'postgres://ada:s3cret-pw@127.0.0.1:1/none']);
  expect(postgres).toMatch(
    /^Error: Cannot use the database \(PostgreSQL at 127\.0\.0\.1:1\/none\): connection refused/,
  );
  expect(postgres).not.toContain('s3cret-pw');
  const noDatabase = join(temp(), 'text.db');
  writeFileSync(
    noDatabase,
    'This is no database, but a text that is long enough to be taken for one.'.repeat(20),
  );
  const text = await failing(['--database-url', `sqlite:${noDatabase}`]);
  expect(text).toMatch(/^Error: .*text\.db\): the file is not a SQLite database/);
  const closed = join(temp(), 'closed');
  writeFileSync(closed, '');
  const folder = await failing(['--data-dir', join(closed, 'inside')]);
  expect(folder).toMatch(/^Error: .*closed/);
  expect([postgres, text, folder].map(lines)).toEqual([1, 1, 1]);
});

verifiesOnce('gateway-process:no-file', async () => {
  const folder = temp();
  const { said } = run(['serve', '--port', '0', '--data-dir', join(folder, 'data')], {
    MISTRAL_API_KEY: 'a-key-of-mistral',
    GEMINI_API_KEY: '',
  });
  expect(await said(SERVING)).toMatch(/^The gateway is running\. Providers: mistral$/m);
});

verifiesOnce('gateway-process:precedence', async () => {
  const config = 'host: 127.0.0.3\nport: 1\nlog_level: silent\n';
  const folder = writeFiles({ config });
  const started = launch(folder, ['--host', '127.0.0.4', '--log-level', 'info'], {
    ...environmentOf({}),
    GATEWAY_HOST: '127.0.0.5',
    GATEWAY_LOG_LEVEL: 'warn',
    GATEWAY_RATE_LIMIT_RPM: '1',
  });
  const url = await addressOf(started);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.4:\d+$/);
  const key = await (
    await fetch(`${url}/v1/keys`, {
      method: 'POST',
      body: '{}',
      headers: { ...AS_MASTER, 'content-type': 'application/json' },
    })
  ).json();
  const me = await fetch(`${url}/v1/keys/me`, { headers: asKey((key as { key: string }).key) });
  expect(await me.text()).toContain('"limit":1');
});

verifiesOnce('gateway-process:port-in-use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  expect(await failing(['--port', String(port)])).toMatch(new RegExp(`^Error: .*${port}.*--port`, 'm'));
  other.close();
});

verifiesOnce('gateway-process:open-address', async () => {
  expect(await failing(['--host', '0.0.0.0'], {})).toMatch(
    /^Error: .*0\.0\.0\.0.*GATEWAY_MASTER_KEY.*--insecure/m,
  );
  const flags = ['--host', '0.0.0.0'];
  await launch(writeFiles({ config: '' }), [...flags, '--insecure'], {}).said(SERVING);
  await launch(writeFiles({ config: '' }), flags).said(SERVING);
});

verifiesOnce('gateway-process:master-key', async () => {
  const file = join(temp(), 'master-key');
  writeFileSync(file, `${MASTER_KEY}\n`);
  const folder = writeFiles({ config: '' });
  const fromFile = launch(folder, ['--master-key-file', file], {});
  const url = await addressOf(fromFile);
  expect((await fetch(`${url}/v1/users`, { headers: AS_MASTER })).status).toBe(200);
  expect(fromFile.stderr()).not.toMatch(/"level":40/);
  const short = launch(writeFiles({ config: '' }), ['--master-key', 'short-key-1'], {});
  await short.said(SERVING);
  expect(short.stderr()).toMatch(/has 11 characters\. Use at least 32/);
  expect(short.stderr()).toMatch(/--master-key is visible to all users/);
  expect(short.stderr()).not.toContain('short-key-1');
});

verifiesOnce('gateway-process:bootstrap', async () => {
  const folder = writeFiles({ config: 'bootstrap_api_key: true' });
  const first = launch(folder, []);
  const url = await addressOf(first);
  const key = first.stdout().trim();
  expect(key).toMatch(/^gw-[\w-]{64}$/);
  expect(first.stderr()).not.toContain(key);
  expect((await fetch(`${url}/v1/models`, { headers: asKey(key) })).status).toBe(200);
  first.child.kill('SIGTERM');
  await first.ended;
  const second = launch(folder, []);
  await second.said(SERVING);
  expect(second.stdout()).toBe('');
});

verifiesOnce('gateway-process:secrets', async () => {
  const own = 'sk-canary-set-by-a-variable-77';
  const api = await start(
    {
      config: {
        providers: {
          ...CONFIG.providers,
          other: {
            type: 'openai',
            api_base: `${openai.url}/v1`,
            api_key: '${OWN}',
            headers: { 'x-secret': 'canary-header-5' },
          },
        },
        log_level: 'debug',
      },
      env: { OWN: own },
    },
    [],
  );
  const answers = [];
  for (const provider of ['openai', 'other']) {
    for (const model of ['secret', 'secret-400', 'error-later', 'good']) {
      for (const stream of [false, true]) {
        const body = chatWith(`${provider}:${model}`, { stream, user: 'ada' });
        answers.push((await api.post('/v1/chat/completions', body, AS_MASTER)).text);
      }
    }
  }
  for (const path of [
    '/v1/users',
    `/v1/users/${MASTER_KEY}`,
    `/v1/models/${own}`,
    '/metrics',
    '/openapi.json',
  ])
    answers.push((await api.get(path, path.includes(MASTER_KEY) ? {} : AS_MASTER)).text);
  writeFileSync(
    join(api.folder, 'gateway.yml'),
    `providers: {openai: {api_key: "${own}", api_kye: ${MASTER_KEY}}}`,
  );
  answers.push((await api.post('/v1/admin/reload', {}, AS_MASTER)).text);
  await api.stop();
  expect(api.log()).toMatch(/unknown key `api_kye`/);
  const said = answers.join('\n').replaceAll(`/v1/models/${own}`, '') + api.log() + api.stdout();
  expect(answers.length).toBeGreaterThan(15);
  for (const secret of [PROVIDER_KEY, 'canary-header-5', MASTER_KEY]) expect(said).not.toContain(secret);
  expect(api.log()).not.toContain(own);
});

verifiesOnce('gateway-process:config-commands', async () => {
  const file = join(temp(), 'g.yml');
  writeFileSync(file, JSON.stringify({ ...CONFIG, aliases: { fast: 'openai:good' } }));
  chmodSync(file, 0o644);
  mkdirSync(join(temp(), 'data'));
  const good = run(['config', 'check', '-c', file]);
  expect(await good.ended).toBe(0);
  expect(good.stdout()).toMatch(
    /^The configuration is valid\.\n.*\n(.*\n)* {2}providers +openai\n {2}aliases +fast\n/,
  );
  expect(good.stderr()).toMatch(
    /^Warning: .* contains providers\.openai\.api_key and is readable by other users/,
  );
  expect(good.stdout() + good.stderr()).not.toContain(PROVIDER_KEY);
  writeFileSync(file, 'port: -1\n');
  const bad = run(['config', 'check', '-c', file, '--json']);
  expect(await bad.ended).toBe(1);
  expect(JSON.parse(bad.stdout())).toMatchObject({
    valid: false,
    problems: [expect.stringMatching(/g\.yml:1:7 {2}port: /)],
  });
  const schema = run(['config', 'schema']);
  expect(await schema.ended).toBe(0);
  expect(JSON.parse(schema.stdout())).toMatchObject({ properties: { providers: { type: 'object' } } });
});
