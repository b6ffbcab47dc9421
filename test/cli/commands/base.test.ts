import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NODE_VERSION } from '#contract/platforms.ts';
import { FIXTURES, TEST_CACHE } from '../../helpers/paths.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const base = (...args: string[]) => runCli(['base', ...args, '--cache-dir', folder()]);
const KEY = '0123456789abcdef';
const LINUX = `base/0.0.1/x86_64-unknown-linux-gnu-${KEY}`;
const ARM = `base/0.0.1/aarch64-unknown-linux-gnu-${KEY}`;
const WINDOWS = `base/0.1.0/x86_64-pc-windows-msvc-${KEY}.exe`;
const NODE = `node/${NODE_VERSION}/aarch64-unknown-linux-gnu`;

/** Files in place of base runtimes; only their names matter here. */
function fillCache(): void {
  for (const path of [LINUX, ARM, WINDOWS, NODE, 'base/0.0.1/notes.txt', 'native/x']) {
    mkdirSync(dirname(join(folder(), path)), { recursive: true });
    writeFileSync(join(folder(), path), 'x'.repeat(1500));
  }
  mkdirSync(join(folder(), `${LINUX}.tmp-abc`));
}

describe('encoderfile base list', () => {
  test('an empty cache is reported', async () => {
    const { exitCode, stdout } = await base('list');
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      `No base runtimes in ${folder()}. Builds create them when needed; \`encoderfile base add\` creates one now.`,
    );
    expect(JSON.parse((await base('list', '--json')).stdout)).toEqual({
      cacheDir: folder(),
      bases: [],
      nodeBinaries: [],
    });
  });

  test('prints a row for each cached file and ignores other files', async () => {
    fillCache();
    const { stdout } = await base('list');
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows).toEqual([
      ['BASE RUNTIME', 'VERSION', 'SIZE', 'USED BY BUILDS', 'PATH'],
      ['aarch64-unknown-linux-gnu', '0.0.1', '1.5 kB', 'no', join(folder(), ARM)],
      ['x86_64-unknown-linux-gnu', '0.0.1', '1.5 kB', 'no', join(folder(), LINUX)],
      ['x86_64-pc-windows-msvc', '0.1.0', '1.5 kB', 'no', join(folder(), WINDOWS)],
      [''],
      ['NODE BINARY', 'VERSION', 'SIZE', 'PATH'],
      ['aarch64-unknown-linux-gnu', NODE_VERSION, '1.5 kB', join(folder(), NODE)],
    ]);
  });
});

describe('encoderfile base remove', () => {
  test.each([
    [['linux-x64'], [LINUX]],
    [['x86_64-pc-windows-msvc'], [WINDOWS]],
    [
      ['--runtime-version', '0.0.1'],
      [ARM, LINUX],
    ],
    [['linux-arm64', '--runtime-version', '0.0.1'], [ARM]],
    [['--all'], [ARM, LINUX, WINDOWS, NODE]],
  ])('%j removes only the selected entries', async (args, paths) => {
    fillCache();
    const { exitCode, stdout } = await base('remove', ...args);
    expect(exitCode).toBe(0);
    const removed = paths.map((path) => `Removed ${join(folder(), path)}`);
    expect(stdout.split('\n')).toEqual([...removed, `Freed ${(paths.length * 1.5).toFixed(1)} kB.`]);
    for (const path of [LINUX, ARM, WINDOWS, NODE])
      expect(existsSync(join(folder(), path))).toBe(!paths.includes(path));
    expect(existsSync(join(folder(), 'native/x'))).toBe(true);
  });

  test('removing the last entry of a version removes its folder', async () => {
    fillCache();
    const { stdout } = await base('remove', 'windows-x64', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ removed: [{ version: '0.1.0', bytes: 1500 }] });
    expect(readdirSync(join(folder(), 'base'))).toEqual(['0.0.1']);
  });

  test('a missing entry is not an error', async () => {
    expect(await base('remove', 'macos-arm64')).toEqual({
      exitCode: 0,
      stdout: `Nothing to remove in ${folder()}.`,
      stderr: '',
    });
  });

  test.each([
    [[], 2, 'Pass a platform, --runtime-version or --all.'],
    [['linux-x64', '--all'], 2, 'A platform and --all cannot be combined; pass one of them.'],
    [['linux-x65'], 1, 'Unknown platform "linux-x65"; did you mean linux-x64?'],
    [['macos-x64'], 1, 'Unsupported platform macos-x64'],
  ])('%j is rejected', async (args, exitCode, message) => {
    fillCache();
    const answer = await base('remove', ...args);
    expect(answer).toMatchObject({ exitCode, stdout: '' });
    expect(answer.stderr).toContain(message);
    expect(existsSync(join(folder(), LINUX))).toBe(true);
  });
});

describe('encoderfile base add', () => {
  const addHost = async (): Promise<string> => {
    const { exitCode, stdout } = await runCli(['base', 'add', '--json', '--cache-dir', TEST_CACHE]);
    expect(exitCode).toBe(0);
    const { bases } = JSON.parse(stdout) as { bases: { path: string; current: boolean }[] };
    expect(bases).toMatchObject([{ kind: 'base', version: '0.1.0', current: true }]);
    return bases[0]?.path ?? '';
  };

  test('builds the runtime for this machine, and `list` marks it as in use', async () => {
    const path = await addHost();
    const again = await runCli(['base', 'add', '--cache-dir', TEST_CACHE]);
    expect(again).toMatchObject({ exitCode: 0, stdout: path });
    expect(again.stderr).toContain('already cached');
    const { stdout } = await runCli(['base', 'list', '--cache-dir', TEST_CACHE]);
    expect(stdout).toMatch(new RegExp(`yes +${path}$`, 'm'));
  });

  test('imports a base runtime file, and a build uses it', async () => {
    const file = await addHost();
    const { exitCode, stdout, stderr } = await base('add', '--file', file);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('✓ Importing');
    expect(stdout).toMatch(new RegExp(`^${folder()}/base/0.1.0/`));
    expect((await runCli(['verify', '-q', stdout])).exitCode).toBe(0);
    expect((await base('list')).stdout).toContain('yes');
  });

  test('imports a model executable without its model, and rejects a modified one', async () => {
    const executable = join(folder(), 'x.encoder');
    const config = join(FIXTURES, 'models/sentiment/encoderfile.yml');
    await runCli(['build', '-q', '-f', config, '-o', executable, '--cache-dir', TEST_CACHE]);
    const { stdout } = await base('add', '-q', '--json', '--file', executable);
    const { bases } = JSON.parse(stdout) as { bases: { path: string; current: boolean }[] };
    expect(bases).toMatchObject([{ current: true }]);
    const inspected = await runCli(['inspect', '--json', bases[0]?.path ?? '']);
    expect(JSON.parse(inspected.stdout)).not.toHaveProperty('model');

    const file = openSync(executable, 'r+');
    writeSync(file, 'damage', 1_000_000);
    closeSync(file);
    const { exitCode, stderr } = await base('add', '-q', '--file', executable);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is corrupted in `executable`');
  });

  test('rejects a damaged file, one for another platform, and a folder', async () => {
    const file = await addHost();
    expect((await base('add', '--file', file, '--platform', 'windows-x64')).stderr).toMatch(
      /^Error: .* is a base runtime for .*, not for x86_64-pc-windows-msvc\./,
    );
    const cut = join(folder(), 'cut');
    copyFileSync(file, cut);
    truncateSync(cut, 1_000_000);
    expect((await base('add', '--file', cut)).stderr).toContain('it is truncated');
    expect((await base('add', '--file', folder())).stderr).toContain('is a folder. Pass a file.');
    expect((await base('add', '--file', join(folder(), 'nosuch'))).stderr).toContain('No such file: ');
    expect(existsSync(join(folder(), 'base'))).toBe(false);
  });

  test('checks all platforms before it builds the first runtime', async () => {
    const { exitCode, stderr } = await base('add', '--platform', 'linux-x64', '--platform', 'linus-x64');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Unknown platform "linus-x64"; did you mean linux-x64?');
    expect(readdirSync(folder())).toEqual([]);
  });

  test('does not build a runtime that requires a download if downloads are disabled', async () => {
    const { exitCode, stderr } = await base('add', '-q', '--platform', 'windows-x64', '--no-download');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Error: No base runtime for windows-x64 in /);
  });
});
