import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../helpers/run-cli.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import { HAS_TERMINALS, onTerminal } from '../../helpers/terminal.ts';

const folder = useTempFolder();

/** Folders that a completion must not print, or run. */
const HOSTILE = ['models--$(touch broken)--x', 'models--a`touch broken`--x', 'models--a;touch broken--x'];

/** A Hugging Face cache and an executable cache. */
function addCaches(): Record<string, string> {
  const hub = join(folder(), 'hub');
  const cache = join(folder(), 'cache');
  for (const name of ['models--acme--sentiment', 'models--acme--other', 'datasets--acme--x', ...HOSTILE])
    mkdirSync(join(hub, name), { recursive: true });
  for (const [key, name] of [
    ['a', 'sentiment.encoder'],
    ['b', 'x$(touch broken).encoder'],
  ] as const) {
    mkdirSync(join(cache, 'executables', key), { recursive: true });
    writeFileSync(join(cache, 'executables', key, name), '');
  }
  mkdirSync(join(folder(), 'model'));
  return { HF_HUB_CACHE: hub, ENCODERFILE_BUILD_CACHE_DIR: cache };
}

const START = {
  bash: (script: string) => ['bash', '--noprofile', '--rcfile', script, '-i'],
  zsh: () => ['zsh', '-i'],
};
const isInstalled = (shell: string): boolean =>
  ['/bin', '/usr/bin', '/usr/local/bin'].some((path) => existsSync(join(path, shell)));

/** The arguments of `encoderfile` after a shell on a terminal has completed each command line. */
async function completedBy(shell: 'bash' | 'zsh', lines: readonly string[]): Promise<string[]> {
  const env = addCaches();
  const { stdout: script } = await runCli(['completion', shell]);
  const path = join(folder(), shell === 'zsh' ? '.zshrc' : 'rc');
  const start = shell === 'zsh' ? 'autoload -U compinit; compinit -u -D\n' : '';
  // Prints its arguments in place of the program.
  const program = `encoderfile() { printf '<%s>' "$@"; echo; }`;
  writeFileSync(path, `${start}PS1='> '\n${program}\n${script}\n`);
  const { output } = await onTerminal(START[shell](path), {
    cwd: folder(),
    env: { ...env, ZDOTDIR: folder() },
    keys: [...lines.map((line) => `encoderfile ${line}\t\n`), 'exit\n'].join(''),
  });
  return output.split('\n').flatMap((line) => /(<.+>)$/.exec(line)?.[1] ?? []);
}

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
    [['ca'], ['cache']],
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

  test.runIf(HAS_TERMINALS).each(['bash', 'zsh'] as const)(
    '%s on a terminal completes models in the caches',
    async (shell) => {
      if (!isInstalled(shell)) return;
      expect(
        await completedBy(shell, [
          'build hf:acme/sen',
          'try hf:acme/o',
          'run senti',
          'run hf:acme/o',
          'cache remove s',
          'pull hf:acme/s',
          'init mod',
          'validate -q hf:acme/o',
        ]),
      ).toEqual([
        '<build><hf:acme/sentiment>',
        '<try><hf:acme/other>',
        '<run><sentiment>',
        '<run><hf:acme/other>',
        '<cache><remove><sentiment>',
        '<pull><hf:acme/sentiment>',
        expect.stringMatching(/^<init><model\/?>$/),
        '<validate><-q><hf:acme/other>',
      ]);
      expect(existsSync(join(folder(), 'broken'))).toBe(false);
    },
  );

  test.runIf(isInstalled('fish'))('fish completes models in the caches', async () => {
    const env = addCaches();
    const { stdout: script } = await runCli(['completion', 'fish']);
    writeFileSync(join(folder(), 'script.fish'), script);
    const completions = async (line: string): Promise<string[]> => {
      const command = `source script.fish; complete -C ${JSON.stringify(`encoderfile ${line}`)}`;
      const options = { cwd: folder(), env: { ...env, XDG_CONFIG_HOME: folder(), HOME: folder() } };
      const { stdout } = await execa('fish', ['--no-config', '-c', command], options);
      return stdout.split('\n').sort();
    };
    expect(await completions('build hf:')).toEqual(['hf:acme/other', 'hf:acme/sentiment']);
    expect(await completions('try mod')).toEqual(['model/']);
    expect(await completions('run sen')).toEqual(['sentiment']);
    expect(await completions('pull ')).toEqual(['hf:acme/other', 'hf:acme/sentiment']);
    expect(await completions('cache remove ')).toEqual(['sentiment']);
    expect(existsSync(join(folder(), 'broken'))).toBe(false);
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
