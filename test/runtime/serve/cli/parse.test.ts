import { expect, test } from 'vitest';
import { type Command, type Invocation, UsageError } from '#serve/cli/command.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { wholeNumberOption } from '#serve/cli/values.ts';

const SERVE: Command = {
  summary: '',
  options: {
    port: { value: 'port', help: '', env: 'TEST_PORT', fallback: '8080' },
    rule: { value: 'rule', help: '', env: 'TEST_RULE', choices: ['cut', 'refuse'], fallback: 'cut' },
    key: { value: 'keys', help: '', env: 'TEST_KEY' },
    quiet: { help: '', env: 'TEST_QUIET' },
    format: { short: 'f', value: 'format', help: '' },
    prompt: { value: 'name', help: '', canBeEmpty: true },
  },
  run: () => Promise.resolve(0),
};
const INFER: Command = { ...SERVE, positionals: '<INPUTS>...' };

const parse = (args: readonly string[], env: Record<string, string> = {}, command = SERVE): Invocation =>
  parseInvocation(command, args, env);
const refusal = (args: readonly string[], env?: Record<string, string>, command?: Command): string => {
  try {
    const invocation = parse(args, env, command);
    wholeNumberOption(invocation, 'port', { min: 0, max: 65_535 });
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  return expect.unreachable('it was accepted');
};

test('a flag overrides the environment, and the environment overrides the default', () => {
  expect(parse([]).value('port')).toBe('8080');
  expect(parse([], { TEST_PORT: '1' }).value('port')).toBe('1');
  expect(parse(['--port', '2'], { TEST_PORT: '1' }).value('port')).toBe('2');
  expect(parse(['--port=3'], { TEST_PORT: '1' }).value('port')).toBe('3');
  expect(parse([], { TEST_PORT: '' }).value('port')).toBe('8080');
});

test('a switch can be set on the command line or in the environment', () => {
  expect(parse([]).flag('quiet')).toBe(false);
  expect(parse(['--quiet']).flag('quiet')).toBe(true);
  expect(parse(['--quiet=1']).flag('quiet')).toBe(true);
  expect(parse([], { TEST_QUIET: 'true' }).flag('quiet')).toBe(true);
  expect(parse(['--quiet=false'], { TEST_QUIET: 'true' }).flag('quiet')).toBe(false);
  expect(parse(['--quiet=0'], { TEST_QUIET: '1' }).flag('quiet')).toBe(false);
});

test('arguments can follow flags and --', () => {
  const invocation = parse(['a', '-f', 'json', 'b', '--', '-c', '--port=1'], {}, INFER);
  expect(invocation.positionals).toEqual(['a', 'b', '-c', '--port=1']);
  expect(invocation.value('format')).toBe('json');
  expect(invocation.value('port')).toBe('8080');
  expect(parse(['-fjson']).value('format')).toBe('json');
});

test.each([
  [['--nosuch'], "Unknown option '--nosuch'."],
  [['--nosuch=1'], "Unknown option '--nosuch'."],
  [['-x'], "Unknown option '-x'."],
  [['--port'], '--port requires a value: --port <port>.'],
  [['-f'], '-f requires a value: -f <format>.'],
  [
    ['--key', '--quiet'],
    '--key requires a value, but "--quiet" looks like an option. To pass it as the value, write --key="--quiet".',
  ],
  [
    ['--port', '-1'],
    '--port requires a value, but "-1" looks like an option. To pass it as the value, write --port="-1".',
  ],
  [['--quiet=maybe'], '--quiet: "maybe" is not one of true, 1, false, 0.'],
  [['--port', 'x'], '--port: "x" is not a whole number from 0 to 65535.'],
  [['--rule', 'x'], '--rule: "x" is not one of cut, refuse.'],
  [['stray'], 'Unexpected argument "stray".'],
])('%j is rejected with a one-line error', (args, message) => {
  expect(refusal(args)).toBe(message);
});

test('if a command accepts texts, the error explains how to pass one that starts with a dash', () => {
  expect(refusal(['-x'], {}, INFER)).toBe(
    "Unknown option '-x'. Put arguments that start with a dash after --.",
  );
});

test('an invalid environment value is reported with the variable name', () => {
  expect(refusal([], { TEST_PORT: 'x' })).toBe('TEST_PORT: "x" is not a whole number from 0 to 65535.');
  expect(refusal([], { TEST_RULE: 'x' })).toBe('TEST_RULE: "x" is not one of cut, refuse.');
  expect(refusal([], { TEST_QUIET: 'yes' })).toBe('TEST_QUIET: "yes" is not one of true, 1, false, 0.');
  expect(refusal(['--port', 'y'], { TEST_PORT: '1' })).toMatch(/^--port: "y"/);
});

test('an unknown option is reported with a suggestion', () => {
  expect(refusal(['--formt', 'json'])).toBe("Unknown option '--formt'. Did you mean --format?");
  expect(refusal(['--rul=cut'], {}, INFER)).toBe("Unknown option '--rul'. Did you mean --rule?");
});

test('an empty value is rejected, and an empty variable is ignored', () => {
  const rule = '--key must not be empty. Remove it, or set a value: --key <keys>.';
  expect([refusal(['--key', '']), refusal(['--key='])]).toEqual([rule, rule]);
  expect(refusal(['-f', ''])).toContain('--format must not be empty');
  expect(refusal(['--rule', ''])).toContain('"" is not one of cut, refuse.');
  expect(parse(['--prompt', '']).value('prompt')).toBe('');
  expect(parse([], { TEST_KEY: '' }).value('key')).toBeUndefined();
  expect(() => exactly(parse([''], {}, INFER), '<user>')).toThrow(
    new UsageError('<user> must not be empty.'),
  );
});
