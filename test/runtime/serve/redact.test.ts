import { array, assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../../../runtime/serve/redact.ts';
import { handClock } from '../../helpers/hand-clock.ts';
import { serverSpec } from '../targets/manager/server-spec.ts';
import { callOf, useManager } from '../targets/manager/use-manager.ts';

const start = useManager();

test('secrets are taken out of texts in the forms they have there', () => {
  const { text } = createRedactor(['pa"ss word/1', 'pa"ss']);
  for (const form of [
    'pa"ss word/1',
    JSON.stringify('pa"ss word/1').slice(1, -1),
    'pa%22ss%20word%2F1',
    Buffer.from('pa"ss word/1').toString('base64'),
    Buffer.from('pa"ss word/1').toString('base64url'),
  ]) {
    expect(text(`<${form}>`)).toBe('<[redacted]>');
  }
  expect(text('pa"ss pa"ss')).toBe('[redacted] [redacted]');
});

test('values keep their shape', () => {
  const { value } = createRedactor(['hunter22', '123456']);
  expect(value({ a: ['x hunter22 y', 1, null, true], hunter22: { n: 123_456 } })).toEqual({
    a: ['x [redacted] y', 1, null, true],
    '[redacted]': { n: '[redacted]' },
  });
});

test('without secrets texts and values are what they were, and more can be learnt', () => {
  const redactor = createRedactor(['ab']);
  const value = { a: 'ab' };
  expect(redactor.value(value)).toBe(value);
  expect(redactor.text('ab')).toBe('ab');
  redactor.learn(['first-secret']);
  redactor.learn(['other-secret']);
  expect(redactor.text('first-secret other-secret')).toBe('[redacted] [redacted]');
});

test('no secret survives, whatever is around it', () => {
  const secrets = array(string({ minLength: 4, unit: 'grapheme' }), { minLength: 1, maxLength: 5 });
  assert(
    property(secrets, string(), string(), (given, before, after) => {
      const { text } = createRedactor(given);
      for (const secret of given.filter((one) => !'[redacted]'.includes(one))) {
        expect(text(`${before}\u0000${secret}\u0000${after}`).split('\u0000')).not.toContain(secret);
      }
    }),
  );
});

test('a secret that a server logs or fails with is in no log, no error and no status', async () => {
  const secret = 'c4nary"secret';
  const manager = start([serverSpec('echo', 'echo')], { secrets: [secret], clock: handClock() });
  const echo = callOf('echo');
  const call = (tool: string, args: Readonly<Record<string, unknown>>) =>
    manager.calls.callTool({ ...echo, tool, args });
  // The result of a tool is for its caller, and stays what it is.
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
