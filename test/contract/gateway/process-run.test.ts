import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { type FixtureProvider, startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { isAlive } from '../../runtime/targets/manager/upstream/processes.ts';
import { postText, stopWithUnreadRequests } from '../stopped-requests.ts';
import { verifiesOnce } from '../verifies.ts';
import { argumentsFor, writeConfig } from './arms.ts';
import { beginStream, chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { builtExecutable } from '../../helpers/built.ts';

const { start, launch, run } = useGatewayProcesses();
const openai: FixtureProvider = await startFixture('openai');
const providers = providersFor({ openai });

verifiesOnce('gateway-process:reload-signal', async () => {
  const api = await start({ config: { providers, aliases: { fast: 'openai:stall@reload' } } });
  const key = asKey(await createKey(api));
  const stream = await beginStream(api, 'fast', key);
  await openai.happened('waiting', 'stall@reload');
  const moved = { ...providers['openai'], timeouts: { idle: '5m' } };
  writeConfig(api.folder, { providers: { openai: moved }, aliases: { quick: 'openai:good' } });
  api.child.kill('SIGHUP');
  await api.said(/Configuration reloaded/);
  expect((await api.post('/v1/chat/completions', chatWith('quick'), key)).status).toBe(200);
  expect((await api.post('/v1/chat/completions', chatWith('fast'), key)).status).toBe(400);
  await openai.release();
  expect(await stream.rest).toMatch(/data: \[DONE\]\n\n$/);
  expect(await stream.rest).not.toContain('"error"');
});

verifiesOnce('gateway-process:reload-file', async () => {
  const folder = (await start({ config: { providers } })).folder;
  // The watching gateway is started in the same folder.
  const flags = argumentsFor(folder).filter((flag) => flag !== '--no-watch');
  const watching = run(['serve', ...flags]);
  await watching.said(/"msg":"serving"/);
  writeConfig(folder, { providers, limits: { shutdown: '1s' }, otel: { endpoint: 'http://127.0.0.1:4318' } });
  const said = await watching.said(/otel changed; restart the gateway/);
  expect(said).toMatch(/A server setting \(e\.g\. host, port, tls, threads or limits\) changed/);
  expect(said).not.toMatch(/database_url or data_dir changed/);
});

verifiesOnce('gateway-process:reload-broken', async () => {
  const api = await start({ config: { providers, aliases: { fast: 'openai:good' } } });
  const key = asKey(await createKey(api));
  for (const broken of ['aliases: {', 'alias: {}', 'aliases: {fast: "${NOT_SET_ANYWHERE}"}']) {
    writeConfig(api.folder, broken);
    const { status, body } = await api.post('/v1/admin/reload', {}, AS_MASTER);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.detail).toMatch(/gateway\.yml:1:/);
    expect((await api.post('/v1/chat/completions', chatWith('fast'), key)).status).toBe(200);
  }
  expect(api.stderr().match(/Configuration not reloaded: /g)).toHaveLength(3);
  writeConfig(api.folder, { providers });
  expect((await api.post('/v1/admin/reload', {}, AS_MASTER)).status).toBe(200);
  expect((await api.post('/v1/chat/completions', chatWith('fast'), key)).status).toBe(400);
});

verifiesOnce('gateway-process:stop', async () => {
  const api = await start({ config: { providers } });
  const key = asKey(await createKey(api, { user_id: 'ada' }));
  const stream = await beginStream(api, 'openai:stall@stop', key);
  await openai.happened('waiting', 'stall@stop');
  api.child.kill('SIGTERM');
  await api.said(/stopping: finishing accepted requests/);
  expect((await api.post('/v1/chat/completions', chatWith('openai:good'), key)).status).toBe(503);
  await openai.release();
  expect(await stream.rest).toMatch(/data: \[DONE\]\n\n$/);
  expect(await api.ended).toBe(0);
  expect(api.stderr()).toMatch(/"msg":"stopped"/);
});

verifiesOnce('gateway-process:stop-unread', async () => {
  for (const flags of [[], ['--shutdown-delay', '300ms']]) {
    const api = await start({ config: { providers } }, flags);
    const key = asKey(await createKey(api));
    const request = postText('/v1/chat/completions', chatWith('openai:good'), key);
    const port = Number(new URL(api.url).port);
    for (const answer of await stopWithUnreadRequests(api.child, { port, request }))
      expect(answer).toMatch(/^HTTP\/1\.1 (200|503) /);
    expect(await api.ended).toBe(0);
  }
});

verifiesOnce('gateway-process:stop-twice', async () => {
  const api = await start({ config: { providers } });
  const key = asKey(await createKey(api));
  const stream = await beginStream(api, 'openai:stall@twice', key);
  stream.rest.catch(() => undefined);
  api.child.kill('SIGTERM');
  await api.said(/stopping: finishing accepted requests/);
  const again = setInterval(() => api.child.kill('SIGTERM'), 150);
  expect(await api.ended).toBe('SIGTERM');
  clearInterval(again);
  await openai.release();
});

verifiesOnce('gateway-process:shutdown-time', async () => {
  const config = { providers, limits: { shutdown: '300ms' } };
  const api = await start({ config });
  const key = asKey(await createKey(api, { user_id: 'ada' }));
  const stream = await beginStream(api, 'openai:stall@cut', key);
  stream.rest.catch(() => undefined);
  api.child.kill('SIGTERM');
  expect(await api.ended).toBe(0);
  await openai.release();
  const next = launch(api.folder, []);
  const [, url] = /(http:\/\/\S+:\d+)$/m.exec(await next.said(/"msg":"serving"/)) ?? [];
  const usage = await (await fetch(`${url}/v1/users/ada/usage`, { headers: AS_MASTER })).json();
  expect(usage).toMatchObject([{ model: 'openai:stall@cut' }]);
  expect((usage as { completion_tokens: number }[])[0]?.completion_tokens).toBeGreaterThan(0);
});

verifiesOnce('gateway-process:two-on-one-file', async () => {
  const one = await start({ config: { providers } });
  const second = launch(one.folder, []);
  const [, url] = /(http:\/\/\S+:\d+)$/m.exec(await second.said(/"msg":"serving"/)) ?? [];
  const key = asKey(await createKey(one));
  const ask = async (base: string | undefined): Promise<number> => {
    const answer = await fetch(`${base}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify(chatWith('openai:good')),
    });
    return answer.status;
  };
  await expect.poll(() => ask(url)).toBe(200);
  const both = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(at % 2 === 0 ? one.url : url)));
  expect(new Set(both)).toEqual(new Set([200]));
});

verifiesOnce('gateway-process:encoders', async () => {
  const path = builtExecutable('sentiment');
  const config = { encoders: { mood: { path } }, guardrails: {} };
  const api = await start({ config });
  const key = asKey(await createKey(api));
  const classify = async (): Promise<number> =>
    (await api.post('/v1/classify', { model: 'encoder:mood', input: 'I love this.' }, key)).status;
  expect(await classify()).toBe(200);
  const [child] = encodersOf(api.child.pid);
  writeConfig(api.folder, { ...config, aliases: { feel: 'encoder:mood' } });
  expect((await api.post('/v1/admin/reload', {}, AS_MASTER)).status).toBe(200);
  expect(await classify()).toBe(200);
  expect(encodersOf(api.child.pid)).toEqual([child]);
  writeConfig(api.folder, { encoders: { other: { path } } });
  expect((await api.post('/v1/admin/reload', {}, AS_MASTER)).status).toBe(200);
  await expect.poll(() => isAlive(child ?? 0)).toBe(false);
  await expect.poll(() => encodersOf(api.child.pid).length).toBe(1);
  const [other] = encodersOf(api.child.pid);
  api.child.kill('SIGKILL');
  await api.ended;
  await expect.poll(() => isAlive(other ?? 0)).toBe(false);
});

/** The encoders that a process has started; Linux only. */
function encodersOf(pid: number | undefined): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('.encoder'));
}
