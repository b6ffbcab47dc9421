import { expect, test } from 'vitest';
import type { Command, Invocation, Program } from '#serve/cli/command.ts';
import { completionTable } from '#serve/cli/completion-scripts.ts';
import { commandHelp, programHelp } from '#serve/cli/help.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { runProgram } from '#serve/cli/run.ts';
import { wholeNumberOption, withEnvironment } from '#serve/cli/values.ts';

const SERVE: Command = {
  summary: 'Serve.',
  options: withEnvironment('TEST', {
    'max-body': {
      value: 'bytes',
      help: 'Maximum size',
      aliases: [{ origin: 'mcpd', name: 'max-body-bytes', env: 'OLD_MAX_BODY' }],
    },
    json: { help: 'Print JSON', aliases: [{ origin: 'mcpd', name: 'full' }] },
    level: {
      value: 'level',
      help: 'Log level',
      choices: ['info', 'silent'],
      aliases: [{ origin: 'mcpd', name: 'log', env: 'OLD_LOG', words: { off: 'silent' } }],
    },
    addr: { value: 'address', help: 'Address', origin: 'mcpd' },
  }),
  run: () => Promise.resolve(0),
};

const parse = (args: readonly string[], env: Record<string, string> = {}): Invocation =>
  parseInvocation(SERVE, args, env);

test('an option can also be set by its older names, and the last value on the command line applies', () => {
  expect(parse(['--max-body-bytes', '1']).value('max-body')).toBe('1');
  expect(parse(['--max-body-bytes=1', '--max-body', '2']).value('max-body')).toBe('2');
  expect(parse(['--max-body', '2', '--max-body-bytes=1']).value('max-body')).toBe('1');
  expect(parse(['--full']).flag('json')).toBe(true);
  expect(parse(['--max-body-bytes', '1']).given('max-body')).toBe(true);
});

test('an older variable applies if neither the flag nor the current variable is set', () => {
  const older = { OLD_MAX_BODY: '1' };
  expect(parse([], older).value('max-body')).toBe('1');
  expect(parse([], { ...older, TEST_MAX_BODY: '2' }).value('max-body')).toBe('2');
  expect(parse([], { ...older, TEST_MAX_BODY: '' }).value('max-body')).toBe('1');
  expect(parse(['--max-body', '3'], older).value('max-body')).toBe('3');
  expect(parse([], { OLD_LOG: 'info' }).value('level')).toBe('info');
});

test('an error names the flag or variable that the user passed', () => {
  const refusal = (args: readonly string[], env?: Record<string, string>): string => {
    try {
      wholeNumberOption(parse(args, env), 'max-body', { min: 1, max: 9 });
    } catch (error) {
      return (error as Error).message;
    }
    return expect.unreachable();
  };
  expect(refusal(['--max-body-bytes', 'x'])).toMatch(/^--max-body-bytes: "x"/);
  expect(refusal([], { OLD_MAX_BODY: 'x' })).toMatch(/^OLD_MAX_BODY: "x"/);
  expect(refusal(['--max-body-bytes', ''])).toMatch(/^--max-body-bytes must not be empty/);
  expect(refusal(['--log=x'])).toBe('--log: "x" is not one of info, silent.');
  expect(refusal(['--max-bodi=1'])).toBe("Unknown option '--max-bodi'. Did you mean --max-body?");
});

test('an older choice is accepted only with the older option name', () => {
  expect(parse(['--log', 'off']).value('level')).toBe('silent');
  expect(parse([], { OLD_LOG: 'off' }).value('level')).toBe('silent');
  expect(parse(['--log', 'off']).values('level')).toEqual(['silent']);
  expect(() => parse(['--level', 'off'])).toThrow('--level: "off" is not one of info, silent.');
  expect(() => parse([], { TEST_LEVEL: 'off' })).toThrow('TEST_LEVEL: "off" is not one of');
});

test('an option inherited from an earlier program has no variable', () => {
  expect(parse(['--addr', 'a'], { TEST_ADDR: 'b' }).value('addr')).toBe('a');
  expect(parse([], { TEST_ADDR: 'b' }).value('addr')).toBeUndefined();
});

test('help and completion omit older names, variables, choices and hidden options', () => {
  const program: Program = { name: 'x', title: 'X.', options: SERVE.options, commands: { serve: SERVE } };
  const shown = [programHelp(program), commandHelp(program, 'serve', SERVE)].join('\n');
  expect(shown).toContain('--max-body <bytes>');
  for (const old of ['max-body-bytes', 'OLD_MAX_BODY', 'full', 'off', 'OLD_LOG', 'addr', 'ADDR'])
    expect(shown).not.toContain(old);
  const offered = JSON.stringify(completionTable(program));
  expect(offered).toContain('--max-body');
  for (const old of ['--max-body-bytes', '--full', '--log"', '--addr', '"off"'])
    expect(offered).not.toContain(old);
});

const plugin: Command = {
  summary: 'Add a plugin.',
  options: { config: { value: 'NAME=value', help: 'Setting of the plugin', repeatable: true } },
  run(invocation, output) {
    output.out(`${invocation.value('config-file') ?? '-'} ${invocation.values('config').join()}`);
    return Promise.resolve(0);
  },
};
const show: Command = {
  summary: 'Show.',
  options: {},
  run(invocation, output) {
    output.out(`${invocation.value('config-file') ?? '-'} ${invocation.value('config') ?? '-'}`);
    return Promise.resolve(0);
  },
};
const PROGRAM: Program = {
  name: 'x',
  title: 'X.',
  options: {
    config: {
      short: 'c',
      value: 'file',
      help: 'Configuration',
      aliases: [{ origin: 'mcpd', name: 'config-file' }],
    },
  },
  commands: { plugin, show },
};

const run = async (...args: string[]): Promise<string> => {
  let text = '';
  const write = (written: string): void => void (text += written);
  await runProgram(PROGRAM, args, { out: write, err: write });
  return text;
};

test('a command option can take over a name of a program option, which keeps its other names', async () => {
  expect(await run('show', '--config', 'f')).toBe('f f');
  expect(await run('plugin', '--config', 'a=1', '--config-file', 'f')).toBe('f a=1');
  expect(await run('plugin', '--config', 'a=1', '-c', 'f')).toBe('f a=1');
  expect(await run('plugin', '--help')).toContain('-c, --config-file <file>');
});

test('options before the command set program options, under any of their names', async () => {
  for (const words of [['--config', 'f'], ['--config=f'], ['--config-file', 'f'], ['-c', 'f'], ['-cf']]) {
    expect(await run(...words, 'show')).toBe('f f');
    expect(await run(...words, 'plugin', '--config', 'a=1')).toBe('f a=1');
  }
});
