import {
  closeSync,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { expect } from 'vitest';
import { copyModel } from '../helpers/model-folder.ts';
import { inNamespace, namespacesWork } from '../helpers/namespace.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runCliHere } from '../helpers/cli-here.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { verifiesOnce } from './verifies.ts';
import { builtCli, builtExecutable } from '../helpers/built.ts';

const folder = useTempFolder();
const canMount = namespacesWork();
const args = (config: string, ...more: string[]): string[] => [
  'build',
  '-f',
  config,
  '--cache-dir',
  TEST_CACHE,
  ...more,
];
const build = (config: string, ...more: string[]): Promise<Answer> =>
  runCliHere(args(config, ...more), { cwd: folder() });
const leftovers = (path: string): string[] => readdirSync(path).filter((name) => name.includes('.tmp'));

verifiesOnce('build:folder', async () => {
  const model = join(folder(), 'bge-tiny');
  cpSync(join(ROOT, 'fixtures/models/sentiment'), model, {
    recursive: true,
    filter: (path) => !path.endsWith('encoderfile.yml'),
  });
  mkdirSync(join(model, 'onnx'));
  for (const name of ['model', 'model_fp16'])
    copyFileSync(join(model, 'model.onnx'), join(model, `onnx/${name}.onnx`));
  const command = ['build', 'bge-tiny', '--variant', 'fp16', '--cache-dir', TEST_CACHE];
  const built = await runCli(command, { cwd: folder() });
  expect(built).toMatchObject({ exitCode: 0 });
  expect(built.stderr).toContain('because config.json names BertForSequenceClassification');
  const { stdout } = await runExecutable(join(folder(), 'bge-tiny.encoder'), ['inspect']);
  expect(stdout).toMatch(/^Source +onnx\/model_fp16\.onnx$/m);
});

verifiesOnce('build:bad-output', async () => {
  const config = copyModel(folder());
  mkdirSync(join(folder(), 'a-folder'));
  expect((await build(config, '-o', 'a-folder')).stderr).toMatch(
    /Error: Cannot write .*a-folder: it is a folder/,
  );
  expect((await build(config, '-o', 'encoderfile.yml/x')).stderr).toMatch(
    /it is a file\. Choose another output path/,
  );
  expect((await build(config, '-o', 'y'.repeat(300))).stderr).toMatch(/the name is too long/);
  if (!canMount) return;

  const disk = join(folder(), 'disk');
  mkdirSync(disk);
  const command = [process.execPath, builtCli(), ...args(config, '-o', join(disk, 'model.encoder'))];
  const script = (mount: string): string =>
    `mount -t tmpfs ${mount} none ${disk}; ${command.join(' ')} || code=$?; ls -A ${disk} >&2; exit $code`;
  const full = await inNamespace(script('-o size=20m'));
  expect(full).toMatchObject({ exitCode: 1, stdout: '' });
  expect(full.stderr).toMatch(/Error: Cannot write .*model\.encoder: the disk is full/);
  expect(full.stderr.trimEnd()).toMatch(/another disk\.$/);
  const readOnly = await inNamespace(script('-o ro'));
  expect(readOnly).toMatchObject({ exitCode: 1, stdout: '' });
  expect(readOnly.stderr).toMatch(/Error: Cannot write .*: the file system is read-only/);
});

verifiesOnce('build:two-at-once', async () => {
  const config = copyModel(folder());
  const answers = await Promise.all([
    runCli(args(config, '-o', 'same'), { cwd: folder() }),
    runCli(args(config, '-o', 'same'), { cwd: folder() }),
    runCli(args(config, '-o', 'same'), { cwd: folder() }),
  ]);
  expect(answers.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect((await runExecutable(join(folder(), 'same'), ['verify'])).exitCode).toBe(0);
  expect(leftovers(folder())).toEqual([]);
});

verifiesOnce('build:killed', async () => {
  const config = copyModel(folder());
  const output = join(folder(), 'model.encoder');
  writeFileSync(output, 'the old file');
  const building = execa(process.execPath, [builtCli(), ...args(config, '--force')], {
    cwd: folder(),
    reject: false,
  });
  while (leftovers(folder()).length === 0) {
    if (building.exitCode !== null) throw new Error('the build ended before it could be killed');
    await setTimeout(1);
  }
  building.kill('SIGKILL');
  await building;
  expect(readFileSync(output, 'utf8')).toBe('the old file');
  expect(leftovers(folder())).toHaveLength(1);
  expect((await build(config, '--force')).exitCode).toBe(0);
  expect(leftovers(folder())).toEqual([]);
  expect((await runExecutable(output, ['infer', 'I love this'])).stdout).toContain('POSITIVE');
});

verifiesOnce('build:output-is-input', async () => {
  const config = copyModel(folder());
  writeFileSync(join(folder(), 'model/model.onnx_data'), 'weights of an older export');
  symlinkSync('model/model.onnx', join(folder(), 'link'));
  const outputs: [string, RegExp][] = [
    ['encoderfile.yml', /it is the config file of this build\./],
    ['model/model.onnx', /it is a model file\./],
    ['link', /it is a model file\./],
    ['model/model.onnx_data', /it is a model file\./],
    ['model/tokenizer.json', /it is a model file\./],
  ];
  const before = outputs.map(([path]) => readFileSync(join(folder(), path)));
  for (const [path, message] of outputs) {
    const { exitCode, stdout, stderr } = await build(config, '--force', '-o', path);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(message);
  }
  expect(outputs.map(([path]) => readFileSync(join(folder(), path)))).toEqual(before);
  const base = join(folder(), 'base.encoder');
  copyFileSync(builtExecutable('sentiment'), base);
  const itself = await build(config, '--force', '--base-binary-path', base, '-o', base);
  expect(itself.stderr).toMatch(/it is the base runtime of this build\./);
  expect((await build(config, '-o', '/dev/null')).stderr).toMatch(
    /it is a device or a pipe\. Pass a regular file\./,
  );
});

verifiesOnce('build:other-output', async () => {
  const [one, other] = ['one', 'other'].map((name) => {
    mkdirSync(join(folder(), name));
    return copyModel(join(folder(), name));
  }) as [string, string];
  const output = join(folder(), 'model.encoder');
  expect((await build(one)).exitCode).toBe(0);
  expect((await build(one)).exitCode).toBe(0);
  const first = readFileSync(output);
  const refused = await build(other);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^Error: Cannot write \.\/model\.encoder: it already exists and is the model model, built from another config file\. Pass --force to overwrite it, or choose another output path\.$/m,
  );
  expect(readFileSync(output).equals(first)).toBe(true);
  expect((await build(other, '--force')).exitCode).toBe(0);
  expect((await build(one)).exitCode).toBe(1);

  const notes = join(folder(), 'notes.txt');
  writeFileSync(notes, 'mine');
  expect((await build(one, '-o', 'notes.txt')).stderr).toMatch(/is a file that encoderfile did not write\./);
  expect((await runCliHere(['target', 'build', 'manager', '-o', output])).stderr).toMatch(
    /is another program\./,
  );
  expect(readFileSync(notes, 'utf8')).toBe('mine');
  // As created by `mktemp`.
  writeFileSync(notes, '');
  expect((await build(one, '-o', 'notes.txt')).exitCode).toBe(0);
  expect((await build(one, '--no-build')).exitCode).toBe(0);
  expect((await build(other, '--no-build')).stderr).toMatch(/built from another config file/);
});

verifiesOnce('build:damaged-cache', async () => {
  const config = copyModel(folder());
  const cache = join(folder(), 'cache');
  cpSync(join(TEST_CACHE, 'base'), join(cache, 'base'), { recursive: true });
  const cached = (): string[] => globSync(join(cache, 'base/*/*')).filter((path) => !path.includes('.tmp'));
  const buildWith = (...more: string[]): Promise<Answer> =>
    runCliHere(['build', '-f', config, '--cache-dir', cache, ...more], { cwd: folder() });
  for (const path of cached()) {
    const file = openSync(path, 'r+');
    writeSync(file, 'damage', 60_000_000);
    closeSync(file);
  }
  // Other tests may have added base runtimes for other platforms to the cache.
  const here = process.arch === 'arm64' ? 'aarch64-' : 'x86_64-';
  const damaged = cached().find((path) => path.includes(here)) ?? '';
  const named = await buildWith('--base-binary-path', damaged);
  expect(named).toMatchObject({ exitCode: 1, stdout: '' });
  expect(named.stderr).toMatch(/is corrupted in `executable`/);
  const again = await buildWith();
  expect(again.exitCode).toBe(0);
  expect(again.stderr).toContain('rebuilt, because the cached one was corrupted');
  expect((await runExecutable(join(folder(), 'model.encoder'), ['verify'])).exitCode).toBe(0);
  expect((await buildWith()).stderr).toContain('from the cache');
});

verifiesOnce('build:read-only-cache', async () => {
  if (!canMount) return;
  const config = copyModel(folder());
  await build(config);
  const cli = `${process.execPath} ${builtCli()}`;
  const readOnly = await inNamespace(
    `mount --bind ${TEST_CACHE} ${TEST_CACHE}; mount -o remount,ro,bind ${TEST_CACHE}; cd ${folder()}; ${cli} ${args(config).join(' ')}`,
  );
  expect(readOnly.exitCode, readOnly.stderr).toBe(0);
  expect(readOnly.stderr).toContain('from the cache');

  const disk = join(folder(), 'disk');
  mkdirSync(disk);
  for (const size of ['64k', '30m', '150m']) {
    const full = await inNamespace(
      `mount -t tmpfs -o size=${size} none ${disk}; cd ${folder()}; ${cli} build -f ${config} --cache-dir ${disk}`,
    );
    expect(full, size).toMatchObject({ exitCode: 1, stdout: '' });
    expect(full.stderr, size).toMatch(/Error: Cannot write \S*\/disk\S*: the disk is full\./);
  }
});

verifiesOnce('build:cache-directory', async () => {
  const config = copyModel(folder());
  const env = { HOME: '', XDG_CACHE_HOME: '', ENCODERFILE_BUILD_CACHE_DIR: undefined };
  const { exitCode, stderr } = await runCliHere(['build', '-f', config], { cwd: folder(), env });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Error: Cannot locate cache directory: .*Set `cache_dir`/);
});

verifiesOnce('build:platform', async () => {
  const config = copyModel(folder());
  const refusal = async (...flags: string[]): Promise<string> => {
    const { exitCode, stderr } = await build(config, ...flags);
    expect(exitCode).toBe(1);
    return stderr.split('\n').findLast((line) => line.startsWith('Error')) ?? '';
  };
  expect(await refusal('--platform', 'linux-arm46')).toMatch(
    /Unknown platform "linux-arm46"; did you mean linux-arm64\?/,
  );
  expect(await refusal('--platform', 'macos-x64')).toMatch(
    /^Error: Unsupported platform .*: ONNX Runtime no longer provides a Node library for Intel Macs/,
  );
  const empty = join(folder(), 'cache');
  const offline = await runCliHere(
    ['build', '-f', config, '--platform', 'windows-x64', '--no-download', '--cache-dir', empty],
    { cwd: folder() },
  );
  expect(offline.exitCode).toBe(1);
  expect(offline.stderr).toMatch(/No base runtime for windows-x64 in .*--no-download is set/);
  const base = builtExecutable('sentiment');
  expect(await refusal('--platform', 'windows-x64', '--base-binary-path', base)).toMatch(
    /is a base runtime for \S+, not for x86_64-pc-windows-msvc/,
  );
});
