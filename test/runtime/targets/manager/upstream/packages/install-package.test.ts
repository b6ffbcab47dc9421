import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageInstallation } from '#manager/config/package-launch.ts';
import type { ProcessLaunch } from '#manager/config/spec.ts';
import { installPackage, isInstalled } from '#manager/upstream/packages/install-package.ts';
import { npxFolder, npxState } from '#manager/upstream/packages/npx-folder.ts';
import { createPackageInstaller } from '#manager/upstream/packages/package-installer.ts';
import { systemClock } from '#platform/clock.ts';
import { handClock } from '#test/helpers/hand-clock.ts';
import { startNpmRegistry } from '#test/helpers/npm-registry.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();
const PARTS = 'slow-parts-1.0.0.tgz';
let registry: Awaited<ReturnType<typeof startNpmRegistry>>;

beforeEach(async () => {
  registry = await startNpmRegistry(folder(), [
    {
      name: 'slow-server',
      version: '1.0.0',
      dependencies: { 'slow-parts': '1.0.0', 'quick-parts': '1.0.0' },
      bin: { 'slow-server': 'server.js' },
      files: {
        'server.js': "#!/usr/bin/env node\nconsole.log(require('slow-parts') + require('quick-parts'));\n",
      },
    },
    { name: 'slow-parts', version: '1.0.0', files: { 'index.js': "module.exports = 'slow ';\n" } },
    { name: 'quick-parts', version: '1.0.0', files: { 'index.js': "module.exports = 'quick';\n" } },
  ]);
});
afterEach(async () => await registry.close());

const PACKAGE = { runtime: 'npx', name: 'slow-server', version: '1.0.0' } as const;
const installation = packageInstallation(PACKAGE);
const cache = (): string => join(folder(), 'cache');
const launch = (): ProcessLaunch => ({
  kind: 'process',
  command: 'npx',
  args: ['-y', 'slow-server@1.0.0'],
  cwd: folder(),
  installation,
  env: {
    PATH: process.env['PATH'] ?? '',
    HOME: folder(),
    npm_config_cache: cache(),
    npm_config_registry: registry.url,
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
  },
});
const options = (repaired: string[] = [], timeoutMs = 120_000) => ({
  timeoutMs,
  signal: new AbortController().signal,
  onRepair: (text: string) => void repaired.push(text),
});
const npxFolderHere = (): string => npxFolder(['slow-server@1.0.0'], cache());

/** Runs npx as a user does, and returns its output and exit code. */
async function npx(): Promise<{ readonly output: string; readonly code: number | null }> {
  const { command, args, env, cwd } = launch();
  const child = spawn(command, args, { env, cwd });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { output, code };
}

/** Kills npx in the middle of its installation, as a startup timeout would. */
async function killHalfway(): Promise<void> {
  registry.hold(PARTS);
  const { command, args, env, cwd } = launch();
  const child = spawn(command, args, { env, cwd, detached: true, stdio: 'ignore' });
  await untilHalfway();
  const closed = once(child, 'close');
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await closed;
  registry.release(PARTS);
}

/** Resolves when npm has written the package and waits for one of its dependencies. */
async function untilHalfway(): Promise<void> {
  await registry.requested(PARTS);
  while (!existsSync(join(npxFolderHere(), 'node_modules', 'slow-server', 'package.json'))) await sleep(20);
}

test('an interrupted installation is detected, removed and repeated', async () => {
  await killHalfway();
  rmSync(join(npxFolderHere(), 'concurrency.lock'), { recursive: true, force: true });
  expect(await npxState(npxFolderHere(), Date.now())).toBe('incomplete');

  const repaired: string[] = [];
  await installPackage(installation, launch(), options(repaired));
  expect(repaired).toEqual([
    `an incomplete installation of npx::slow-server@1.0.0 was removed: ${npxFolderHere()}`,
  ]);
  expect(await npxState(npxFolderHere(), Date.now())).toBe('complete');
  expect(await isInstalled(installation, launch(), Date.now())).toBe(true);
  // The installed package is the one that npx runs, without the registry.
  await registry.close();
  expect(await npx()).toEqual({ output: 'slow quick\n', code: 0 });
});

test('an installation waits for the lock of a killed npm process, even if its timestamp is rounded up', async () => {
  await killHalfway();
  const ahead = Date.now() / 1000 + 0.5;
  utimesSync(join(npxFolderHere(), 'concurrency.lock'), ahead, ahead);
  const repaired: string[] = [];
  await installPackage(installation, launch(), options(repaired, 20_000));
  expect(repaired).toHaveLength(1);
});

test('a package that has lost a dependency is installed again', async () => {
  await installPackage(installation, launch(), options());
  rmSync(join(npxFolderHere(), 'node_modules', 'quick-parts'), { recursive: true });
  // npx itself does not detect this.
  expect((await npx()).output).toContain("Cannot find module 'quick-parts'");
  expect(await npxState(npxFolderHere(), Date.now())).toBe('incomplete');
  await installPackage(installation, launch(), options());
  expect((await npx()).output).toBe('slow quick\n');
});

test('an installation that exceeds its timeout is terminated and cleaned up, and the error names the limit', async () => {
  registry.hold(PARTS);
  // The limit expires once npm has begun to write, however long that takes.
  const clock = handClock();
  const [ended] = await Promise.allSettled([
    installPackage(installation, launch(), { ...options([], 4000), clock }),
    untilHalfway().then(() => clock.pass(4000)),
  ]);
  expect(ended).toMatchObject({
    status: 'rejected',
    reason: {
      message: expect.stringMatching(
        /^npx::slow-server@1\.0\.0 was not installed within 4000 ms\. Increase timeout_install, or check access to the registry\./,
      ),
    },
  });
  expect(existsSync(npxFolderHere())).toBe(false);
  registry.release(PARTS);
  await installPackage(installation, launch(), options());
  expect((await npx()).output).toBe('slow quick\n');
});

test("a failed installation is reported with the installer's error instead of its last line", async () => {
  const missing = packageInstallation({ ...PACKAGE, version: '9.9.9' });
  await expect(installPackage(missing, launch(), options())).rejects.toThrow(
    'npx::slow-server@9.9.9 could not be installed (code 1). The installer wrote: npm error notarget No matching version found for slow-server@9.9.9.',
  );
});

test('servers with the same package share one installation, and later starts do not run the installer', async () => {
  const installer = createPackageInstaller({ clock: systemClock, env: { XDG_CACHE_HOME: folder() } });
  const progress: string[][] = [[], []];
  await Promise.all(
    progress.map((lines) =>
      installer.install(launch(), {
        timeoutMs: 120_000,
        onProgress: (text) => void lines.push(text),
        onWarning: () => undefined,
      }),
    ),
  );
  expect(progress[0]?.[0]).toBe('installing npx::slow-server@1.0.0');
  expect(
    progress[0]?.some((text) =>
      /^installing npx::slow-server@1\.0\.0 for \d+ s: npm http fetch GET 200/.test(text),
    ),
  ).toBe(true);
  expect(progress[1]?.length).toBeGreaterThan(0);
  // With a failing stand-in for npx, a second installation would fail.
  writeFileSync(join(folder(), 'npx'), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
  const again = { ...launch(), env: { ...launch().env, PATH: folder() } };
  const later: string[] = [];
  await installer.install(again, {
    timeoutMs: 1000,
    onProgress: (text) => void later.push(text),
    onWarning: () => undefined,
  });
  expect(later).toEqual([]);
  await installer.close();
  expect(readFileSync(join(npxFolderHere(), 'package.json'), 'utf8')).toContain('slow-server');
});
