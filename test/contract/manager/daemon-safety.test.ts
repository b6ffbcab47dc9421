import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runProcess } from '../../helpers/run-process.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import { verifiesOnce } from '../verifies.ts';
import { ECHO, serversToml, TWO } from './config.ts';
import { useDaemons } from './daemon-process.ts';
import { builtProgram } from '../../helpers/built.ts';

const { start } = useDaemons();
const temp = useTempFolder();

verifiesOnce('daemon:secrets', async () => {
  const audit = join(temp(), 'audit.jsonl');
  const api = await start({ config: ECHO, secrets: '[servers.echo.env]\nTOKEN = "canary-5ecret-value"\n' }, [
    '--audit-log',
    audit,
    '--audit-arguments',
    'redacted',
    '--log-level',
    'trace',
  ]);
  const tool = '/api/v1/servers/echo/tools';
  await api.post(`${tool}/log`, { text: 'the token is canary-5ecret-value.' });
  const failed = await api.post(`${tool}/is-error`, { message: 'canary-5ecret-value is wrong' });
  expect(failed.text).not.toContain('canary-5ecret');
  await api.get('/api/v1/servers/canary-5ecret-value/tools');
  const logs = await api.get('/api/v1/admin/servers/echo/logs');
  expect(logs.text).toContain('the token is');
  expect(logs.text).not.toContain('canary-5ecret');
  await api.stop();
  expect(api.log()).toContain('the token is');
  expect(api.log()).not.toContain('canary-5ecret');
  const audited = readFileSync(audit, 'utf8');
  expect(audited).toContain('"log"');
  expect(audited).not.toContain('canary-5ecret');
});

verifiesOnce('daemon:settings-stay', async () => {
  const [one, two] = ['echo', 'other'].map((name) => serversToml({ name, run: ['echo.mjs'] }));
  const secrets = [
    '[servers.echo.env]\nTRANSPORT = "stdio"\nBRANCH = "main"\nPORT = "2000"\nDB_PASSWORD = "main"\n',
    '[servers.other.env]\nREGION = "eu-central-1"\n',
  ].join('');
  const api = await start({ config: `${one}\n${two}`, secrets });
  const said = 'stdio: branch main:2000 of eu-central-1, password=main';
  const hidden = 'stdio: branch main:2000 of eu-central-1, password=[redacted]';
  await api.post('/api/v1/servers/echo/tools/log', { text: said });
  const failed = await api.post('/api/v1/servers/echo/tools/is-error', { message: said });
  expect(failed.text).toContain(hidden);
  const other = await api.post('/api/v1/servers/other/tools/is-error', { message: said });
  expect(other.text).toContain('stdio: branch main:2000 of [redacted], password=main');
  await expect.poll(async () => (await api.get('/api/v1/admin/servers/echo/logs')).text).toContain(hidden);
  await api.stop();
  expect(api.log()).toContain(hidden);
});

verifiesOnce('daemon:audit', async () => {
  const audit = join(temp(), 'audit.jsonl');
  const api = await start({ config: ECHO }, ['--audit-log', audit]);
  await api.post('/api/v1/servers/echo/tools/echo', { message: 'private words' }, { 'x-request-id': 'r-1' });
  await api.post('/api/v1/servers/echo/tools/nothing', {}, { 'x-request-id': 'r-2' });
  await api.stop();
  const text = readFileSync(audit, 'utf8');
  expect(text).not.toContain('private words');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatchObject({ requestId: 'r-1', server: 'echo', name: 'echo', caller: 'anyone' });
  expect(JSON.stringify(lines[0])).toMatch(/[0-9a-f]{64}/);
  expect(lines[1]).toMatchObject({ requestId: 'r-2', name: 'nothing' });
  expect(lines[1]?.['outcome']).not.toEqual(lines[0]?.['outcome']);
});

verifiesOnce('daemon:keys', async () => {
  const keysFile = join(temp(), 'keys.jsonl');
  const create = async (...args: string[]): Promise<Record<string, string>> => {
    const { exitCode, stdout } = await runProcess(builtProgram('manager'), [
      'keys',
      'create',
      '--keys-file',
      keysFile,
      ...args,
    ]);
    expect(exitCode).toBe(0);
    return { authorization: `Bearer ${stdout.trim()}` };
  };
  const one = await create('--name', 'one', '--server', 'one', '--tool', 'one/ec*', '--rate', '3/m');
  const admin = await create('--name', 'admin', '--admin');
  expect(readFileSync(keysFile, 'utf8')).not.toContain(one['authorization']?.slice('Bearer '.length));

  const api = await start({ config: TWO }, ['--keys-file', keysFile]);
  const call = async (path: string, headers: Record<string, string>): Promise<number> =>
    (await api.post(`/api/v1/servers/${path}`, { message: 'x' }, headers)).status;
  const refused = await api.get('/api/v1/servers');
  expect(refused).toMatchObject({ status: 401, body: { status: 401 } });
  expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  expect(await call('one/tools/echo', { authorization: 'Bearer mcpm_wrong' })).toBe(401);
  expect(await call('one/tools/echo', one)).toBe(200);
  expect(await call('one/tools/env', one)).toBe(403);
  expect(await call('two/tools/echo', one)).toBe(403);
  const tooOften = await api.get('/api/v1/servers', one);
  expect(tooOften.status).toBe(429);
  expect(Number(tooOften.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await call('two/tools/echo', admin)).toBe(200);
  expect((await api.post('/api/v1/admin/reload', {}, admin)).status).toBe(200);
  expect((await api.get('/healthz')).status).toBe(200);
});
