import { copyFileSync, cpSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ownVersion } from '#cli/adapters/own-files.ts';
import { overwrite, sectionsOf } from '../helpers/container-file.ts';
import { builtBuildTool, builtExecutable } from '../helpers/built.ts';
import { writeConfig } from '../helpers/model-folder.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { runCli } from '../helpers/run-cli.ts';
import { type Answer, runProcess } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { verifiesOnce } from './verifies.ts';

const VERSION = ownVersion();
const folder = useTempFolder();
const MODEL = 'models/sentiment';
const CONFIG = join(MODEL, 'encoderfile.yml');

/** Runs an executable as on an empty machine, with no other programs, and no files except those of the model. */
function run(file: string, ...args: string[]): Promise<Answer> {
  const env = [`HOME=${folder()}`, `ENCODERFILE_CACHE_DIR=${join(TEST_CACHE, 'native')}`, 'PATH='];
  return runProcess('/usr/bin/env', ['-i', ...env, file, ...args], { cwd: folder() });
}

function copyModel(): void {
  cpSync(join(FIXTURES, MODEL), join(folder(), MODEL), { recursive: true });
}

verifiesOnce('build:one-file', async () => {
  const tool = builtBuildTool();
  copyModel();
  const built = await run(tool, 'build', '-f', CONFIG);
  expect(built).toMatchObject({ exitCode: 0 });
  expect(built.stderr).toMatch(/Preparing the base runtime \(\d+\.\d s\): inside this encoderfile/);
  const inferred = await run(join(folder(), 'sentiment.encoder'), 'infer', 'I love this');
  expect(inferred.stdout).toContain('"score": 0.99527925');
  // A build leaves only its result behind.
  expect(readdirSync(folder()).sort()).toEqual(['.cache', 'models', 'sentiment.encoder']);

  expect(await run(tool, 'version')).toMatchObject({ exitCode: 0, stdout: `encoderfile ${VERSION}` });
  expect((await run(tool, 'validate', '-f', CONFIG)).exitCode).toBe(0);
  expect((await run(tool, 'inspect', tool)).stdout).toContain('Program   encoderfile');
  expect((await run(tool, 'verify', tool)).exitCode).toBe(0);
  expect((await run(tool, 'base', 'list')).exitCode).toBe(0);
  expect((await run(tool, 'init', join(MODEL), '-o', 'new.yml')).exitCode).toBe(0);
  expect((await run(tool, 'transform', '--help')).stdout).toContain('transform test');
  expect((await run(tool, 'completion', 'bash')).stdout).toContain('encoderfile');
  const licenses = await run(tool, 'licenses');
  for (const name of ['@oclif/core', 'onnxruntime-node', 'wasmoon', 'yaml'])
    expect(licenses.stdout).toContain(`\n${name} `);

  const script = ['--model-type', 'sequence_classification', '-o', 'script.lua'];
  expect((await run(tool, 'transform', 'new', ...script)).exitCode).toBe(0);
  const transformed = writeConfig(folder(), { path: `./${MODEL}`, transform: { path: './script.lua' } });
  const tested = await run(tool, 'transform', 'test', '-f', transformed, 'I love this');
  expect(tested).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('I love this') });
});

verifiesOnce('build:one-file-same', async () => {
  copyModel();
  const flags = ['build', '-f', CONFIG, '-o'];
  expect((await run(builtBuildTool(), ...flags, 'one-file.encoder')).exitCode).toBe(0);
  const source = await runCli([...flags, 'source.encoder', '--cache-dir', TEST_CACHE], { cwd: folder() });
  expect(source.exitCode).toBe(0);
  const [one, other] = ['one-file', 'source'].map((name) => readFileSync(join(folder(), `${name}.encoder`)));
  expect(one?.equals(other ?? Buffer.of())).toBe(true);
});

verifiesOnce('build:one-file-refusals', async () => {
  copyModel();
  const tool = join(folder(), 'encoderfile');
  copyFileSync(builtBuildTool(), tool);
  const { size } = statSync(tool);
  expect(await run(tool, 'build', '-f', CONFIG, '-o', 'encoderfile')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^Error: Cannot write encoderfile: /),
  });
  expect(await run(tool, 'build', '-f', CONFIG, '-o', 'encoderfile', '--force')).toMatchObject({
    exitCode: 1,
    stderr: 'Error: Cannot write encoderfile: it is the program that is running. Choose another output path.',
  });
  const overwritten = ['transform', 'new', '--model-type', 'embedding', '-o', 'encoderfile', '--force'];
  expect((await run(tool, ...overwritten)).stderr).toContain('it is the program that is running');
  expect(statSync(tool).size).toBe(size);
  expect(await run(tool, 'target', 'build', 'gateway')).toMatchObject({
    exitCode: 1,
    stderr:
      'Error: This encoderfile builds models only. Get gateway where you got encoderfile, or build it in a clone of the repository.',
  });
  expect(await run(tool, 'licenses', 'gateway')).toMatchObject({
    exitCode: 1,
    stderr: 'Error: gateway is not part of this program. Run `gateway --licenses`.',
  });
  expect(await run(tool, 'build', '-f', CONFIG, '--platform', 'linux-arm64')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      `Cannot download @encoderfile/encoderfile-linux-arm64@${VERSION} with npm`,
    ),
  });
  for (const name of ['program', 'code-cache'] as const) {
    const [section, damaged] = [sectionsOf(tool)(name), join(folder(), name)];
    copyFileSync(tool, damaged);
    overwrite(damaged, section.offset + section.length - 9, '!');
    const answer = await run(damaged, 'version');
    expect(answer).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`corrupted in \`${name}\``),
    });
  }
  truncateSync(tool, size - 1000);
  const truncated = await run(tool, 'build', '-f', CONFIG);
  expect(truncated.exitCode).not.toBe(0);
  expect(truncated.stderr).toMatch(/^Error: [^\n]*, or it is truncated [^\n]*\n?$/);
});

verifiesOnce('build:one-file-platform', async () => {
  copyModel();
  const build = (...flags: string[]): Promise<Answer> =>
    runCli(['build', '-f', CONFIG, ...flags, '--cache-dir', TEST_CACHE], { cwd: folder() });
  expect((await build('--base-binary-path', builtBuildTool(), '-o', 'from-tool')).exitCode).toBe(0);
  const other = readFileSync(builtExecutable('sentiment'));
  expect(statSync(join(folder(), 'from-tool')).size).toBe(other.length);
  const inspected = await run(join(folder(), 'from-tool'), 'inspect');
  expect(inspected.stdout).toContain('Model     sentiment');
});
