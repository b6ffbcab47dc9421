import { expect, test } from 'vitest';
import { createRedactions } from '#core/text/redactions.ts';
import { isSecretName } from '#core/text/secret-name.ts';

test.each([
  'API_KEY',
  'X-Api-Key',
  '--token',
  'DB_PASSWORD',
  'Authorization',
  'client_secret',
  'DATABASE_DSN',
])('a value named %s is a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each(['PORT', 'TRANSPORT', 'BRANCH', 'TOKEN_URL', 'KEY_FILE', 'MAX_TOKENS', 'AUTH_MODE', ''])(
  'a value named %s is a setting',
  (name) => {
    expect(isSecretName(name)).toBe(false);
  },
);

test('a value without a secret name is a secret if it is long and neither a setting nor a path', () => {
  const redactions = createRedactions();
  for (const value of [
    'stdio',
    'main',
    '2000',
    'production',
    'true',
    '',
    '/etc/passwd',
    './a-folder',
    'C:\\a\\folder',
    'localhost:5432',
    '2023-06-01',
    'application/json',
    'us-east-1',
    'https://internal.example',
  ]) {
    redactions.add(value, ['VALUE'], 'one');
  }
  expect(redactions.all()).toEqual([
    { value: 'https://internal.example', isNamed: false, owner: 'one' },
    { value: 'us-east-1', isNamed: false, owner: 'one' },
  ]);
});

test('a value with a secret name is a secret at any length unless it is a setting; the longest secrets come first', () => {
  const redactions = createRedactions();
  for (const value of ['abc', 'debug', 'production', 'Bearer a-token', 'first line\nline'])
    redactions.add(value, ['KEY']);
  expect(redactions.all().map(({ value, isNamed }) => [value, isNamed])).toEqual([
    ['first line\nline', true],
    ['Bearer a-token', true],
    ['production', true],
    ['first line', false],
    ['a-token', true],
    ['abc', true],
  ]);
});

test('a URL password is a secret, both encoded and decoded', () => {
  const redactions = createRedactions();
  redactions.add('postgres://me:p%40ss-word@host/db', ['DATABASE_URL']);
  expect(redactions.all().map(({ value, isNamed }) => [value, isNamed])).toEqual([
    ['postgres://me:p%40ss-word@host/db', false],
    ['p%40ss-word', true],
    ['p@ss-word', true],
  ]);
});

test('a value is a secret if at least one of its names is a secret name, and it can have two owners', () => {
  const redactions = createRedactions();
  redactions.add('a-long-value', ['VALUE', 'API_KEY'], 'one');
  redactions.add('a-long-value', ['VALUE'], 'one');
  redactions.add('a-long-value', ['VALUE'], 'two');
  expect(redactions.all()).toEqual([
    { value: 'a-long-value', isNamed: true, owner: 'one' },
    { value: 'a-long-value', isNamed: false, owner: 'two' },
  ]);
});
