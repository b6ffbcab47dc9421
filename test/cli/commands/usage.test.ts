import { describe, expect, test } from 'vitest';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';

describe('the command line', () => {
  test.each([
    [['nosuch'], 'Unknown command nosuch. See `encoderfile --help`.'],
    [['buidl'], 'Unknown command buidl; did you mean `build`? See `encoderfile --help`.'],
    [['base', 'lst'], 'Unknown command base lst; did you mean `base list`? See `encoderfile base --help`.'],
    [
      ['transform', 'tets', 'x'],
      'Unknown command transform tets; did you mean `transform test`? See `encoderfile transform --help`.',
    ],
    [
      ['serve', './x.encoder'],
      'Unknown command serve: it is a command of built executables. Run `./x.encoder serve`. See `encoderfile --help`.',
    ],
    [['run'], 'Missing argument MODEL. See `encoderfile run --help`.'],
    [
      ['try', ''],
      'The model is an empty text. Pass a folder or a model such as hf:org/name. See `encoderfile try --help`.',
    ],
    [
      ['try', '--labels', 'a,b', 'hf:org/name'],
      'Unknown flag --labels. Put flags of the executable after the model. See `encoderfile try --help`.',
    ],
    [
      ['try', './model', 'text', '--model-typ=x'],
      'Unknown flag --model-typ; did you mean --model-type? See `encoderfile try --help`.',
    ],
    [['cache', 'remove'], 'Pass the name of a model, or --all. See `encoderfile cache remove --help`.'],
    [
      ['infer', 'bin/x.encoder', "it's late"],
      `Unknown command infer: it is a command of built executables. Run \`bin/x.encoder infer 'it'${String.raw`\'`}'s late'\`. See \`encoderfile --help\`.`,
    ],
    [
      ['infer', String.raw`bin\x.encoder.exe`],
      `Unknown command infer: it is a command of built executables. Run \`'bin\\x.encoder.exe' infer\`. See \`encoderfile --help\`.`,
    ],
    [
      ['mcp'],
      'Unknown command mcp: it is a command of built executables. Run `./MODEL.encoder mcp`. See `encoderfile --help`.',
    ],
    [
      ['x.encoder'],
      'Unknown command x.encoder: it is an executable. Run `./x.encoder serve`. See `encoderfile --help`.',
    ],
    [
      ['hf:org/name'],
      'Unknown command hf:org/name: it is a model, not a command. Run `encoderfile build hf:org/name`. See `encoderfile --help`.',
    ],
    [
      ['./model', '-o', 'x'],
      'Unknown command ./model: it is a model, not a command. Run `encoderfile build ./model`. See `encoderfile --help`.',
    ],
    [['-q', 'build'], 'Missing command before -q. See `encoderfile --help`.'],
    [
      ['build'],
      'Missing required flag --config: the current folder has no encoderfile.yml. Pass a config file or a model folder. See `encoderfile build --help`.',
    ],
    [['build', '--nosuch'], 'Unknown flag --nosuch. See `encoderfile build --help`.'],
    [
      ['build', '--plattform', 'x'],
      'Unknown flag --plattform; did you mean --platform? See `encoderfile build --help`.',
    ],
    [['build', 'a', 'extra'], 'Unexpected argument: extra. See `encoderfile build --help`.'],
    [
      ['build', '-f', 'x', 'extra'],
      '--config and the folder "extra" cannot be combined. Pass one of them. See `encoderfile build --help`.',
    ],
    [['build', '-f'], 'Flag --config expects a value. See `encoderfile build --help`.'],
    [['inspect'], 'Missing argument FILE. See `encoderfile inspect --help`.'],
    [['inspect', 'a', 'b'], 'Unexpected argument: b. See `encoderfile inspect --help`.'],
  ])('%j causes a one-line usage error', async (args, message) => {
    expect(await runCli(args)).toEqual({ exitCode: 2, stdout: '', stderr: `Error: ${message}` });
  });

  test('with --json a usage error is JSON on stderr and stdout', async () => {
    const { exitCode, stdout, stderr } = await runCli(['build', '--json']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(stdout);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'UsageError',
        message:
          'Missing required flag --config: the current folder has no encoderfile.yml. Pass a config file or a model folder. See `encoderfile build --help`.',
      },
    });
  });

  test('with --json an error is JSON on stderr and stdout', async () => {
    const { exitCode, stdout, stderr } = await runCli(['validate', '-f', 'nosuch.yml', '--json']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(stdout);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'ConfigError',
        message: 'No such config file: nosuch.yml. Create one with `encoderfile init`.',
      },
    });
  });

  test.each([[['--help']], [['-h']], [[]], [['help']]])('%j shows every command', async (args) => {
    const { exitCode, stdout, stderr } = await runCli(args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const names = [
      'base',
      'build',
      'cache',
      'completion',
      'init',
      'inspect',
      'run',
      'schema',
      'transform',
      'try',
      'validate',
      'verify',
    ];
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  test.each([[['build', '--help']], [['build', '-h']], [['help', 'build']]])(
    '%j shows the help of the command',
    async (args) => {
      const { exitCode, stdout } = await runCli(args);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('-f, --config=<file>');
      expect(stdout).toContain('BASE RUNTIME FLAGS');
      expect(stdout).toContain('EXAMPLES');
      expect(stdout).not.toContain('\u001B[');
    },
  );

  test.each([[['version']], [['--version']], [['-V']], [['-v']]])('%j prints the version', async (args) => {
    expect(await runCli(args)).toEqual({ exitCode: 0, stdout: 'encoderfile 0.1.0', stderr: '' });
  });

  test('version --json prints the name and the version as JSON', async () => {
    const { stdout } = await runCli(['version', '--json']);
    expect(JSON.parse(stdout)).toEqual({ name: 'encoderfile', version: '0.1.0' });
  });
});
