import {
  rmSync,
  closeSync,
  openSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
  copyFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Inspection } from '#core/model/inspection.ts';
import { FIXTURES, TEST_CACHE } from '../../helpers/paths.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const file = (name: string): string => join(folder(), name);
let executable = '';
let base = '';

beforeAll(async () => {
  const answer = await runCli(['base', 'add', '--json', '--cache-dir', TEST_CACHE]);
  base = (JSON.parse(answer.stdout) as { bases: { path: string }[] }).bases[0]?.path ?? '';
  executable = join(TEST_CACHE, `inspected-${process.pid}.encoder`);
  const config = join(FIXTURES, 'models/sentiment/encoderfile.yml');
  const built = await runCli(['build', '-q', '-f', config, '-o', executable, '--cache-dir', TEST_CACHE]);
  if (built.exitCode !== 0) throw new Error(`cannot build: ${built.stderr}`);
  return () => rmSync(executable, { force: true });
});

/** A copy with one byte changed inside a section. */
function damaged(section: 'weights' | 'executable', inspection: Inspection): string {
  const copy = file('damaged.encoder');
  copyFileSync(executable, copy);
  const found = inspection.sections.find(({ name }) => name === section);
  const fd = openSync(copy, 'r+');
  writeSync(fd, 'damage', (found?.offset ?? 0) + 1000);
  closeSync(fd);
  return copy;
}

const inspectJson = async (path: string): Promise<Inspection> =>
  JSON.parse((await runCli(['inspect', '--json', path])).stdout) as Inspection;

describe('encoderfile inspect', () => {
  test('prints the facts about a model executable as a table', async () => {
    const { exitCode, stdout, stderr } = await runCli(['inspect', executable]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^Model +sentiment 1\.0\.0$/m);
    expect(stdout).toMatch(/^Labels +NEGATIVE, POSITIVE$/m);
    expect(stdout).toMatch(/^ +weights +\S+ kB$/m);
  });

  test('prints the same facts as JSON', async () => {
    const inspection = await inspectJson(executable);
    expect(inspection).toMatchObject({
      file: executable,
      bytes: statSync(executable).size,
      model: { name: 'sentiment', modelType: 'sequence_classification' },
      runtime: { version: '0.1.0' },
    });
  });

  test('shows no model for a base runtime', async () => {
    expect(await inspectJson(base)).not.toHaveProperty('model');
    expect((await runCli(['inspect', base])).stdout).toContain('none; this is a base runtime');
  });
});

describe('encoderfile verify', () => {
  test('accepts an intact file', async () => {
    const { exitCode, stdout } = await runCli(['verify', executable]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^weights +\S+ kB  ok  [0-9a-f]{64}$/m);
    expect(stdout).toContain(`${executable} is intact.`);
    expect(await runCli(['verify', '--quiet', base])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  test.each(['weights', 'executable'] as const)('detects damage in the section %s', async (section) => {
    const copy = damaged(section, await inspectJson(executable));
    const { exitCode, stdout, stderr } = await runCli(['verify', copy]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(new RegExp(`^${section} .* ALTERED  expected`, 'm'));
    expect(stdout.match(/ALTERED/g)).toHaveLength(1);
    expect(stderr).toContain(
      `Error: ${copy} is corrupted in \`${section}\`. Copy the file again from where it was built.`,
    );
  });

  test('with --json, reports damage as one document with verdicts and the error', async () => {
    const copy = damaged('weights', await inspectJson(executable));
    const { exitCode, stdout, stderr } = await runCli(['verify', '--json', copy]);
    expect(exitCode).toBe(1);
    // As in every program, the result contains the same error.
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'ConfigError', message: expect.stringContaining(copy) },
    });
    const result = JSON.parse(stdout) as { sections: { name: string; expected: string; actual: string }[] };
    expect(result).toMatchObject({ file: copy, intact: false, error: { code: 'ConfigError' } });
    expect(
      result.sections.filter(({ expected, actual }) => expected !== actual).map(({ name }) => name),
    ).toEqual(['weights']);
  });
});

describe.each(['inspect', 'verify'])('encoderfile %s rejects', (command) => {
  test.each([
    ['a missing file', 'nosuch', 'No such file: '],
    ['a folder', '.', ' is a folder. Pass a file.'],
    ['another file', 'text', ' is not an encoderfile executable, or it is truncated (5 bytes).'],
    ['an empty file', 'empty', ' is not an encoderfile executable, or it is truncated (0 bytes).'],
    ['a truncated executable', 'cut', ' is not an encoderfile executable, or it is truncated'],
  ])('%s', async (_, name, message) => {
    writeFileSync(file('text'), 'hello');
    writeFileSync(file('empty'), '');
    copyFileSync(executable, file('cut'));
    truncateSync(file('cut'), statSync(executable).size - 10);
    const { exitCode, stdout, stderr } = await runCli([command, file(name)]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.split('\n')).toHaveLength(1);
  });
});
