import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { configError } from '../../../../../runtime/contract/errors.ts';
import type { ManagerConfig, ServerSpec } from '../../../../../runtime/targets/manager/config/spec.ts';
import {
  createReloader,
  type WatchingReloader,
} from '../../../../../runtime/targets/manager/supervisor/reloader.ts';
import { useTempFolder } from '../../../../helpers/temp-folder.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, type TestManager, useManager } from '../use-manager.ts';

const folder = useTempFolder();
const start = useManager();
const reloaders: WatchingReloader[] = [];
afterEach(async () => {
  await Promise.all(reloaders.splice(0).map((reloader) => reloader.close()));
});

const daemon = { addr: '', shutdownMs: 5000, healthMs: 3000, healthIntervalMs: 10_000, cors: undefined };
const configOf = (servers: readonly ServerSpec[], files: readonly string[] = []): ManagerConfig => ({
  servers,
  daemon,
  plugins: { plugins: [] },
  secrets: [],
  files,
});

function reloading(
  manager: TestManager,
  config: ManagerConfig,
  read: () => Promise<ManagerConfig>,
  onConfig?: (config: ManagerConfig) => void,
): WatchingReloader {
  const { supervisor, kernel } = manager;
  const options = { config, read, supervisor, log: kernel.log };
  const reloader = createReloader(onConfig ? { ...options, onConfig } : options);
  reloaders.push(reloader);
  return reloader;
}

test('D-5: a configuration that cannot be read changes nothing; the reason is logged and kept until one can', async () => {
  const servers = [serverSpec('a', 'echo')];
  const manager = start(servers);
  const first = configOf(servers);
  const answers: (() => Promise<ManagerConfig>)[] = [
    () => Promise.reject(configError('.mcpd.toml:3: this is no TOML.')),
    () => Promise.resolve(configOf([serverSpec('a', 'exits-at-start')])),
    () => Promise.resolve(configOf([serverSpec('a', 'echo'), serverSpec('b', 'echo')])),
  ];
  await manager.phase('a', 'running');
  const reloader = reloading(manager, first, () => answers.shift()?.() ?? Promise.reject(new Error('none')));

  await expect(reloader.reload()).rejects.toThrow('.mcpd.toml:3: this is no TOML.');
  expect(reloader.lastError()).toBe('.mcpd.toml:3: this is no TOML.');
  await expect(reloader.reload()).rejects.toThrow('a could not be started');
  expect(reloader.lastError()).toContain('a could not be started');
  expect(reloader.config()).toBe(first);
  const told = manager.kernel.logged.filter(({ level }) => level === 50);
  expect(told).toHaveLength(2);
  // The sentence is enough; nobody mends a file by our stack.
  expect(told[0]).not.toHaveProperty('err');
  const call = manager.calls.callTool({ ...callOf('a'), tool: 'echo', args: { message: 'still here' } });
  expect((await call).content).toEqual([{ type: 'text', text: 'still here' }]);

  expect(await reloader.reload()).toMatchObject({ added: ['b'] });
  expect(reloader.lastError()).toBeUndefined();
  expect(reloader.config().servers).toHaveLength(2);
});

test('a storm of reloads is two: the one under way, and one for all who came meanwhile', async () => {
  const manager = start([]);
  let reads = 0;
  const read = (): Promise<ManagerConfig> => {
    reads += 1;
    return Promise.resolve(
      configOf(Array.from({ length: reads }, (_, index) => serverSpec(`s${index}`, 'echo'))),
    );
  };
  const reloader = reloading(manager, configOf([]), read);
  const all = await Promise.all(Array.from({ length: 50 }, () => reloader.reload()));
  expect(reads).toBe(2);
  expect(all[0]?.added).toEqual(['s0']);
  expect(all.slice(1).map(({ added }) => added)).toEqual(Array.from({ length: 49 }, () => ['s1']));
});

test('after it is closed nothing is reloaded', async () => {
  const manager = start([]);
  const reloader = reloading(manager, configOf([]), () =>
    Promise.resolve(configOf([serverSpec('a', 'echo')])),
  );
  await reloader.close();
  await expect(reloader.reload()).rejects.toMatchObject({ code: 'UnavailableError' });
  expect(manager.supervisor.names()).toEqual([]);
});

test('a changed file is read without being asked, and a bad one changes nothing', async () => {
  const file = join(folder(), 'names.json');
  const put = (text: string): void => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  put('["a"]');
  const { readFile } = await import('node:fs/promises');
  const read = async (): Promise<ManagerConfig> => {
    const names = JSON.parse(await readFile(file, 'utf8')) as string[];
    return configOf(
      names.map((name) => serverSpec(name, 'echo')),
      [file],
    );
  };
  const config = await read();
  const manager = start(config.servers);
  const applied = Promise.withResolvers<ManagerConfig>();
  const reloader = reloading(manager, config, read, applied.resolve);
  reloader.watch();
  put('["a", "b"]');
  expect((await applied.promise).servers.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(manager.supervisor.names()).toEqual(['a', 'b']);
});

test('what only a new start can change is told, until it is as it was at the start', async () => {
  const manager = start([]);
  const first = configOf([]);
  const changed = { ...first, daemon: { ...daemon, addr: '127.0.0.1:1' } };
  const answers = [changed, changed, first];
  const reloader = reloading(manager, first, () => Promise.resolve(answers.shift() ?? first));
  const warnings = (): unknown[] =>
    manager.kernel.logged.filter(({ level }) => level === 40).map(({ msg }) => msg);
  await reloader.reload();
  await reloader.reload();
  const told = '[daemon] has changed, and is read at the start only: start the manager anew for it to count.';
  expect(warnings()).toEqual([told, told]);
  await reloader.reload();
  expect(warnings()).toHaveLength(2);
});
