import { expect, test } from 'vitest';
import { configError } from '#contract/errors.ts';
import type { Program } from '#serve/cli/command.ts';
import { formatOf, JSON_OPTION } from '#serve/cli/output-format.ts';
import { runProgram } from '#serve/cli/run.ts';
import { versionCommand } from '#serve/cli/version-command.ts';

const PROGRAM: Program = {
  name: 'x',
  title: 'X.',
  options: JSON_OPTION,
  commands: {
    fail: {
      summary: 'Fail.',
      positionals: '[text]...',
      options: {},
      run: () => Promise.reject(configError('It failed.')),
    },
    show: {
      summary: 'Show.',
      options: {
        ...JSON_OPTION,
        format: { value: 'format', help: 'Format', choices: ['text', 'json', 'yaml'], fallback: 'text' },
      },
      run(invocation, output) {
        output.out(formatOf(invocation));
        return Promise.resolve(0);
      },
    },
    version: versionCommand('x'),
  },
};

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const output = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runProgram(PROGRAM, args, output);
  return { code, out, err };
}

test('with --json, an error is printed to stderr as one JSON document, with the same exit code', async () => {
  for (const words of [
    ['fail', '--json'],
    ['--json', 'fail'],
  ]) {
    const { code, out, err } = await run(...words);
    expect({ code, out, err: JSON.parse(err) }).toEqual({
      code: 1,
      out: '',
      err: { error: { code: 'ConfigError', message: 'It failed.' } },
    });
  }
  expect((await run('fail')).err).toBe('Error: It failed.\n');
});

test('with --json, a usage error is also JSON, and refers to the help', async () => {
  const { code, err } = await run('show', '--nosuch', '--json');
  expect({ code, err: JSON.parse(err) }).toEqual({
    code: 2,
    err: { error: { code: 'UsageError', message: "Unknown option '--nosuch'. See `x show --help`." } },
  });
  expect(JSON.parse((await run('nosuch', '--json')).err)).toMatchObject({ error: { code: 'UsageError' } });
});

test('--json after -- is an argument, not a flag', async () => {
  expect((await run('fail', '--', '--json')).err).toBe('Error: It failed.\n');
});

test('--json is a short form of --format json', async () => {
  expect((await run('show')).out).toBe('text');
  expect((await run('show', '--json')).out).toBe('json');
  expect((await run('show', '--json', '--format', 'json')).out).toBe('json');
  expect((await run('show', '--format', 'yaml')).out).toBe('yaml');
  const { code, err } = await run('show', '--json', '--format', 'yaml');
  expect({ code, message: JSON.parse(err).error.message }).toEqual({
    code: 2,
    message: expect.stringContaining('--json conflicts with --format yaml; use one of them.'),
  });
});

test.each([['version'], ['--version'], ['-V']])(
  '%s prints the version, with --json as JSON',
  async (word) => {
    expect((await run(word)).out).toBe('x from source\n');
    expect(JSON.parse((await run(word, '--json')).out)).toEqual({ name: 'x', version: 'from source' });
  },
);
