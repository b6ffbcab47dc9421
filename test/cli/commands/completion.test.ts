import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../helpers/run-cli.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();

/** Bash completions for the last word of a command line. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout: script } = await runCli(['completion', 'bash']);
  const file = join(folder(), 'encoderfile.bash');
  const line = ['encoderfile', ...words];
  writeFileSync(
    file,
    `${script}\nCOMP_WORDS=("$@")\nCOMP_CWORD=$(($# - 1))\n_encoderfile\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`,
  );
  const { stdout } = await execa('bash', ['--norc', file, ...line]);
  return stdout.split('\n').filter((word) => word !== '');
}

describe('encoderfile completion', () => {
  test.each([
    [['b'], ['base', 'build']],
    [
      ['base', ''],
      ['add', 'list', 'remove'],
    ],
    [
      ['build', '--output'],
      ['--output-dir', '--output-path'],
    ],
    [
      ['base', 'add', '--platform', 'l'],
      ['linux-x64', 'linux-arm64'],
    ],
    [['base', 'remove', 'win'], ['windows-x64']],
    [
      ['transform', ''],
      ['new', 'test'],
    ],
    [
      ['transform', 'new', '--model-type', 'se'],
      ['sequence_classification', 'sentence_embedding'],
    ],
    [['init', '--model-type', 't'], ['token_classification']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    // Without completions of the program, bash completes file names.
    [['build', '-f', ''], []],
    [['inspect', ''], []],
  ])('bash: %j completes to %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  test.each(['zsh', 'fish'])('%s: completes every command and flag', async (shell) => {
    const { exitCode, stdout, stderr } = await runCli(['completion', shell]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    for (const word of [
      'build',
      'validate',
      'base',
      'remove',
      'model-type',
      'base-binary-path',
      'windows-x64',
    ])
      expect(stdout).toContain(word);
  });

  test('--json prints the shell and the script as JSON', async () => {
    const { stdout } = await runCli(['completion', 'fish', '--json']);
    const result = JSON.parse(stdout) as { shell: string; script: string };
    expect(result.shell).toBe('fish');
    expect(result.script).toContain('complete -c encoderfile');
  });

  test('an unknown shell is a usage error that lists the supported ones', async () => {
    const { exitCode, stderr } = await runCli(['completion', 'tcsh']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'Error: Expected tcsh to be one of: bash, zsh, fish. See `encoderfile completion --help`.',
    );
  });
});
