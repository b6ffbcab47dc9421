import { array, assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '#serve/redact.ts';
import { namedSecrets } from '../../helpers/secrets.ts';
import { handClock } from '../../helpers/hand-clock.ts';
import { serverSpec } from '../targets/manager/server-spec.ts';
import { callOf, useManager } from '../targets/manager/use-manager.ts';

const start = useManager();

test('secrets are removed from texts in all their encoded forms', () => {
  const { text } = createRedactor(namedSecrets('pa"ss word/1', 'pa"ssw'));
  for (const form of [
    'pa"ss word/1',
    JSON.stringify('pa"ss word/1').slice(1, -1),
    'pa%22ss%20word%2F1',
    Buffer.from('pa"ss word/1').toString('base64'),
    Buffer.from('pa"ss word/1').toString('base64url'),
  ]) {
    expect(text(`<${form}>`)).toBe('<[redacted]>');
  }
  expect(text('pa"ssw pa"ssw')).toBe('[redacted] [redacted]');
});

describe('a secret is redacted only as a whole word', () => {
  const { text } = createRedactor(namedSecrets('s3cret1', 'main-s3cret', 'a-secret-of-16-ch'));

  test.each([
    's3cret1',
    'the token s3cret1.',
    'TOKEN=s3cret1',
    '"s3cret1"',
    'x_s3cret1-x',
    '密码是s3cret1吗',
    JSON.stringify('line\ns3cret1\tx'),
    JSON.stringify('\u0007s3cret1'),
    '\u001B[1;31ms3cret1\u001B[0m',
    JSON.stringify({ msg: JSON.stringify('\u001B[33ms3cret1') }),
    '?q=a%3As3cret1%40',
    'main-s3cret1',
    'xa-secret-of-16-chx',
  ])('a secret is redacted in %s', (given) => {
    const left = text(given);
    expect(left).toContain('[redacted]');
    expect(left).not.toMatch(/s3cret|secret-of/);
  });

  test.each(['s3cret12', 'as3cret1', 'main'])('a word is not redacted in %s', (given) => {
    expect(text(given)).toBe(given);
  });
});

describe('a short secret is redacted where the text marks it as a secret', () => {
  const { text, value } = createRedactor(namedSecrets('main', '2000', 'ab', 'a'));

  test.each([
    ['PASSWORD=main', 'PASSWORD=[redacted]'],
    ['password: "main"', 'password: "[redacted]"'],
    ['{"api_key":"main"}', '{"api_key":"[redacted]"}'],
    [JSON.stringify({ msg: '{"api_key":"main"}' }), JSON.stringify({ msg: '{"api_key":"[redacted]"}' })],
    ['--token main --x', '--token [redacted] --x'],
    ['--token=ab', '--token=[redacted]'],
    ['the key is main', 'the key is [redacted]'],
    ['X-Api-Key: ab', 'X-Api-Key: [redacted]'],
    ['Authorization: a', 'Authorization: [redacted]'],
    ['postgres://user:main@host/main', 'postgres://user:[redacted]@host/main'],
    ['https://main@host', 'https://[redacted]@host'],
    ['Authorization: Basic ab', 'Authorization: Basic [redacted]'],
    ['https://x/?access_token=2000&y=1', 'https://x/?access_token=[redacted]&y=1'],
  ])('a marked secret is redacted in %s', (given, expected) => {
    expect(text(given)).toBe(expected);
  });

  test.each([
    'main',
    'error on branch main: port 2000',
    'at Object.<anonymous> (main.js:2000:1)',
    'PASSWORD=mainly',
    'a keyboard',
  ])('a value is not redacted in %s', (given) => {
    expect(text(given)).toBe(given);
  });

  test('a secret in a nested value is redacted', () => {
    expect(value({ password: 'main', branch: 'main', token: 2000, port: 2000 })).toEqual({
      password: '[redacted]',
      branch: 'main',
      token: '[redacted]',
      port: 2000,
    });
  });
});

test('in texts about a server, the secrets of other servers are redacted only if they are distinctive', () => {
  const { text, value } = createRedactor([
    { value: 'us-east-1', isNamed: false, owner: 'one' },
    { value: 'postgres', isNamed: true, owner: 'one' },
    { value: 'k3y-of-one', isNamed: true, owner: 'one' },
    { value: 'of-no-server', isNamed: false },
  ]);
  const all = 'us-east-1 postgres k3y-of-one of-no-server';
  expect(text(all, 'one')).toBe('[redacted] [redacted] [redacted] [redacted]');
  expect(text(all, 'two')).toBe('us-east-1 postgres [redacted] [redacted]');
  expect(text(all)).toBe('[redacted] [redacted] [redacted] [redacted]');
  expect(value(['us-east-1'], 'two')).toEqual(['us-east-1']);
});

test('redaction keeps the structure of nested values', () => {
  const { value } = createRedactor(namedSecrets('hunter22', '123456'));
  expect(value({ a: ['x hunter22 y', 1, null, true], hunter22: { n: 123_456 } })).toEqual({
    a: ['x [redacted] y', 1, null, true],
    '[redacted]': { n: '[redacted]' },
  });
});

test('a short secret that the text does not mark as a secret is not redacted, and secrets can be added later', () => {
  const redactor = createRedactor(namedSecrets('ab'));
  const value = { a: 'ab' };
  expect(redactor.value(value)).toEqual(value);
  expect(redactor.text('ab')).toBe('ab');
  redactor.learn(namedSecrets('first-secret'));
  redactor.learn(namedSecrets('other-secret'));
  expect(redactor.text('first-secret other-secret')).toBe('[redacted] [redacted]');
});

test('a delimited secret is always redacted, regardless of the surrounding text', () => {
  const secrets = array(string({ minLength: 6, unit: 'grapheme' }), { minLength: 1, maxLength: 5 });
  assert(
    property(secrets, string(), string(), (given, before, after) => {
      const { text } = createRedactor(namedSecrets(...given));
      for (const secret of given.filter((one) => !'[redacted]'.includes(one))) {
        expect(text(`${before}\u0000${secret}\u0000${after}`).split('\u0000')).not.toContain(secret);
      }
    }),
  );
});

test("a secret in a server's log or error appears in no log, error or status", async () => {
  const secret = 'c4nary"secret';
  const manager = start([serverSpec('echo', 'echo')], { secrets: [secret], clock: handClock() });
  const echo = callOf('echo');
  const call = (tool: string, args: Readonly<Record<string, unknown>>) =>
    manager.calls.callTool({ ...echo, tool, args });
  // The result of a tool is returned to its caller unchanged.
  expect((await call('echo', { message: secret })).content).toEqual([{ type: 'text', text: secret }]);
  const errors: Error[] = [];
  const keep = (error: Error): void => void errors.push(error);
  await manager.calls.getPrompt({ ...echo, prompt: secret, args: {} }).catch(keep);
  await call('log', { text: `json=${JSON.stringify(secret)} token=${secret}` });
  await manager.logged('echo', /token=/);
  const held = call('hold', { key: 'k' }).catch(keep);
  process.kill(manager.server('echo').status().pid ?? 0, 'SIGKILL');
  await held;
  await manager.phase('echo', 'waiting');
  const status = manager.server('echo').status();
  expect(status.reason).toContain('token=[redacted]');
  expect(errors.map(({ message }) => message)).toEqual([
    'prompt not found: echo/[redacted]',
    'MCP server error calling tool',
  ]);
  const seen = [
    errors.map((error) => [error, error.message, error.cause, (error.cause as Error | undefined)?.message]),
    manager.kernel.logged,
    status,
    manager.server('echo').logs.last(99),
  ];
  expect(JSON.stringify(seen)).not.toContain('c4nary');
});
