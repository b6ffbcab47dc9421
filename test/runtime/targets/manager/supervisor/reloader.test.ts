import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { configError } from '#contract/errors.ts';
import type { ServerSpec } from '#manager/config/spec.ts';
import type { Reloader } from '#serve/program/reloader.ts';
import type { LoadedConfig } from '#manager/config/read-config.ts';
import type { AppliedChanges } from '#manager/supervisor/managed-server.ts';
import { createManagerReloader } from '#manager/supervisor/reloader.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, type TestManager, useManager } from '../use-manager.ts';

const folder = useTempFolder();
const start = useManager();
const reloaders: Reloader<AppliedChanges>[] = [];
afterEach(async () => {
  await Promise.all(reloaders.splice(0).map((reloader) => reloader.close()));
});

const daemon = { addr: '', shutdownMs: 5000, healthMs: 3000, healthIntervalMs: 10_000, cors: undefined };
const configOf = (servers: readonly ServerSpec[], files: readonly string[] = []): LoadedConfig => ({
  servers,
  daemon,
  groups: [],
  plugins: { plugins: [] },
  secrets: [],
  files,
  sources: [],
  notes: [],
  warnings: [],
  problems: [],
});

function reloading(
  manager: TestManager,
  config: LoadedConfig,
  read: () => Promise<LoadedConfig>,
): Reloader<AppliedChanges> {
  const { supervisor, kernel } = manager;
  const reloader = createManagerReloader({ config, read, supervisor, log: kernel.log });
  reloaders.push(reloader);
  return reloader;
}

test('an invalid configuration is not applied, and the reason is logged', async () => {
  const servers = [serverSpec('a', 'echo')];
  const manager = start(servers);
  const first = configOf(servers);
  const answers: (() => Promise<LoadedConfig>)[] = [
    () => Promise.reject(configError('.mcpd.toml:3: this is no TOML.')),
    () => Promise.resolve(configOf([serverSpec('a', 'exits-at-start')])),
    () => Promise.resolve(configOf([serverSpec('a', 'echo'), serverSpec('b', 'echo')])),
  ];
  await manager.phase('a', 'running');
  const reloader = reloading(manager, first, () => answers.shift()?.() ?? Promise.reject(new Error('none')));

  await expect(reloader.reload()).rejects.toThrow('.mcpd.toml:3: this is no TOML.');
  await expect(reloader.reload()).rejects.toThrow('Server a failed to start');
  const told = manager.kernel.logged.filter(({ level }) => level === 50);
  expect(told).toHaveLength(2);
  // The message is sufficient; a stack trace does not help to correct a file.
  expect(told[0]).not.toHaveProperty('err');
  const call = manager.calls.callTool({ ...callOf('a'), tool: 'echo', args: { message: 'still here' } });
  expect((await call).content).toEqual([{ type: 'text', text: 'still here' }]);

  expect(await reloader.reload()).toMatchObject({ added: ['b'] });
  expect(manager.supervisor.names()).toEqual(['a', 'b']);
});

test('many concurrent reload requests result in two reloads: the running reload and a single reload for all later requests', async () => {
  const manager = start([]);
  let reads = 0;
  const read = (): Promise<LoadedConfig> => {
    reads += 1;
    return Promise.resolve(
      configOf(Array.from({ length: reads }, (_, index) => serverSpec(`s${index}`, 'echo'))),
    );
  };
  const reloader = reloading(manager, configOf([]), read);
  const first = reloader.reload();
  await new Promise((resolve) => setImmediate(resolve));
  const all = await Promise.all([first, ...Array.from({ length: 49 }, () => reloader.reload())]);
  expect(reads).toBe(2);
  expect(all[0]?.added).toEqual(['s0']);
  expect(all.slice(1).map(({ added }) => added)).toEqual(Array.from({ length: 49 }, () => ['s1']));
});

test('a closed reloader does not reload', async () => {
  const manager = start([]);
  const reloader = reloading(manager, configOf([]), () =>
    Promise.resolve(configOf([serverSpec('a', 'echo')])),
  );
  await reloader.close();
  await expect(reloader.reload()).rejects.toMatchObject({ code: 'UnavailableError' });
  expect(manager.supervisor.names()).toEqual([]);
});

test('a changed file is reloaded automatically, and an invalid file is not applied', async () => {
  const file = join(folder(), 'names.json');
  const put = (text: string): void => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  put('["a"]');
  const { readFile } = await import('node:fs/promises');
  const read = async (): Promise<LoadedConfig> => {
    const names = JSON.parse(await readFile(file, 'utf8')) as string[];
    return configOf(
      names.map((name) => serverSpec(name, 'echo')),
      [file],
    );
  };
  const config = await read();
  const manager = start(config.servers);
  reloading(manager, config, read).watch();
  put('["a", "b"]');
  await expect.poll(() => manager.supervisor.names()).toEqual(['a', 'b']);
});

test('settings that require a restart are reported until they are reverted', async () => {
  const manager = start([]);
  const first = configOf([]);
  const changed = { ...first, daemon: { ...daemon, addr: '127.0.0.1:1' } };
  const answers = [changed, changed, first];
  const reloader = reloading(manager, first, () => Promise.resolve(answers.shift() ?? first));
  const warnings = (): unknown[] =>
    manager.kernel.logged.filter(({ level }) => level === 40).map(({ msg }) => msg);
  await reloader.reload();
  await reloader.reload();
  const told = '[daemon] changed; restart the manager to apply it.';
  expect(warnings()).toEqual([told, told]);
  await reloader.reload();
  expect(warnings()).toHaveLength(2);
});
