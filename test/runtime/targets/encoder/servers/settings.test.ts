import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '#serve/cli/command.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { serveModelCommand } from '#encoder/commands/serve.ts';
import { readAddresses } from '#encoder/servers/addresses.ts';
import { readServerSettings, type ServerSettings } from '#encoder/servers/settings.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const read = (args: readonly string[], env: Record<string, string> = {}): ServerSettings => {
  const invocation = parseInvocation(serveModelCommand(''), args, env);
  readAddresses(invocation);
  return readServerSettings(invocation);
};

test('by default, no key is required, and no web page has access', () => {
  expect(read([])).toMatchObject({ apiKeys: [], corsOrigins: [], allowedHosts: undefined });
  // Like an empty variable in a container's environment file.
  expect(read([], { ENCODERFILE_API_KEY: '', ENCODERFILE_HTTP_HOSTNAME: '' }).apiKeys).toEqual([]);
});

test('keys are separated by commas', () => {
  expect(read(['--api-key', 'one, two,']).apiKeys).toEqual(['one', 'two']);
});

const folder = useTempFolder();

test('keys are read from a file, separated by commas or line breaks', () => {
  const file = join(folder(), 'keys');
  writeFileSync(file, 'one, two\nthree\r\n\n');
  const keys = ['one', 'two', 'three'];
  expect(read(['--api-key-file', file]).apiKeys).toEqual(keys);
  expect(read([], { ENCODERFILE_API_KEY_FILE: file }).apiKeys).toEqual(keys);
  expect(read(['--api-key-file', file], { ENCODERFILE_API_KEY: 'other' }).apiKeys).toEqual(keys);
  expect(read(['--api-key', 'other'], { ENCODERFILE_API_KEY_FILE: file }).apiKeys).toEqual(['other']);
  expect(read([], { ENCODERFILE_API_KEY: 'other', ENCODERFILE_API_KEY_FILE: file }).apiKeys).toEqual([
    'other',
  ]);
  expect(() => read(['--api-key', 'a', '--api-key-file', file])).toThrow(
    '--api-key conflicts with --api-key-file; use one of them.',
  );
  expect(() => read(['--api-key-file', join(folder(), 'none')])).toThrow(
    /^--api-key-file: cannot read .*none: ENOENT/,
  );
  writeFileSync(file, '\n');
  expect(() => read([], { ENCODERFILE_API_KEY_FILE: file })).toThrow(
    'ENCODERFILE_API_KEY_FILE contains no key. Remove it to allow requests without a key.',
  );
  writeFileSync(file, 'good\nbad key\n');
  expect(() => read(['--api-key-file', file])).toThrow(/^--api-key-file: key 2 is invalid\. Keys must/);
});

test('an origin is normalized as in browsers, however it is written', () => {
  const origins = [
    'https://app.example',
    'http://localhost:3000/',
    'HTTPS://App.Example:443',
    'chrome-extension://abc/',
  ];
  expect(read(['--cors-origins', origins.join(', ')]).corsOrigins).toEqual([
    'https://app.example',
    'http://localhost:3000',
    'https://app.example',
    'chrome-extension://abc',
  ]);
  expect(read(['--cors-origins', '*']).corsOrigins).toEqual(['*']);
});

test('hosts can have a port', () => {
  const hosts = ['model.example', 'model.example:8080', '[::1]', '10.0.0.1'];
  expect(read(['--allowed-hosts', hosts.join(',')]).allowedHosts).toEqual(hosts);
});

const NO_HOST = 'Set it to an address of this machine, or to 0.0.0.0 for all addresses.';
const NO_ORIGIN = 'Use scheme and host, e.g. https://app.example, or * for all origins.';
test.each([
  [['--http-hostname= '], `--http-hostname is empty. ${NO_HOST}`],
  [['--api-key', ' , '], '--api-key contains no key. Remove it to allow requests without a key.'],
  [['--cors-origins', 'app.example'], `--cors-origins: "app.example" is not a valid origin. ${NO_ORIGIN}`],
  [['--cors-origins', 'https://a/b'], `--cors-origins: "https://a/b" is not a valid origin. ${NO_ORIGIN}`],
  [['--cors-origins', '*, https://a b'], `--cors-origins: "https://a b" is not a valid origin. ${NO_ORIGIN}`],
  [
    ['--allowed-hosts', 'http://a'],
    '--allowed-hosts: "http://a" is not a valid host name. Use a name such as model.example.',
  ],
  [
    ['--allowed-hosts', 'a, ::1'],
    '--allowed-hosts: "::1" is not a valid host name. Use a name such as model.example.',
  ],
])('%j is rejected', (args, message) => {
  expect(() => read(args)).toThrow(new UsageError(message));
});

test.each(['http-hostname', 'grpc-hostname', 'api-key', 'cert-file', 'allowed-hosts'])(
  'an empty --%s is rejected',
  (name) => {
    expect(() => read([`--${name}`, ''])).toThrow(`--${name} must not be empty. Remove it, or set a value`);
    expect(() => read([`--${name}=`])).toThrow(UsageError);
  },
);

test('a key with characters that headers cannot contain is rejected, and not shown', () => {
  const rule = 'Keys must consist of visible ASCII characters without spaces.';
  expect(() => read([], { ENCODERFILE_API_KEY: 'good,schlüssel' })).toThrow(
    new UsageError(`ENCODERFILE_API_KEY: key 2 is invalid. ${rule}`),
  );
  expect(() => read(['--api-key', 'a b'])).toThrow(new UsageError(`--api-key: key 1 is invalid. ${rule}`));
});

test('the shutdown timeout is a duration, and 0 does not wait', () => {
  expect(read([]).shutdownMs).toBe(30_000);
  expect(read(['--shutdown-timeout', '1m30s']).shutdownMs).toBe(90_000);
  expect(read(['--shutdown-timeout', '0']).shutdownMs).toBe(0);
  expect(read([], { ENCODERFILE_SHUTDOWN_TIMEOUT: '5' }).shutdownMs).toBe(5000);
  expect(() => read(['--shutdown-timeout', '-1x'])).toThrow(UsageError);
  expect(() => read(['--shutdown-timeout=soon'])).toThrow(/^--shutdown-timeout: "soon" .*, or 0\.$/);
});
