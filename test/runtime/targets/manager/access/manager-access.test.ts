import { appendFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { keyFileText } from '#manager/access/key-file.ts';
import { createManagerAccess, type ManagerAccess, watchedKeys } from '#manager/access/manager-access.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { bearer, keyOf } from './key-of.ts';

function refusal(access: ManagerAccess, authorization: string | undefined): AppError {
  try {
    access.check(authorization);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was let in');
}

describe('API keys', () => {
  test('without a key file, every request is allowed', () => {
    const access = createManagerAccess({ keys: () => undefined });
    expect(access.hasKeys()).toBe(false);
    expect(access.check(undefined)).toMatchObject({ name: 'anyone', admin: true });
  });

  test('only valid keys are accepted if there is a key file', () => {
    let now = Date.parse('2026-06-01T00:00:00Z');
    const keys = [
      keyOf('mcpm_good', { name: 'ci', admin: true, expires: '2026-07-01T00:00:00Z' }),
      keyOf('mcpm_gone', { revoked: '2026-05-01T00:00:00Z' }),
    ];
    const access = createManagerAccess({ keys: () => keys }, () => now);
    expect(access.check(bearer('mcpm_good'))).toMatchObject({ name: 'ci', admin: true });
    expect(access.check('bearer   mcpm_good')).toMatchObject({ name: 'ci' });
    const refused: [string | undefined, string][] = [
      [undefined, 'Missing API key. Send the header `Authorization: Bearer <key>`.'],
      ['Basic mcpm_good', 'Missing API key. Send the header `Authorization: Bearer <key>`.'],
      [bearer('mcpm_goo'), 'Invalid API key.'],
      [bearer('mcpm_goodx'), 'Invalid API key.'],
      [bearer('mcpm_gone'), 'The API key is revoked.'],
    ];
    for (const [authorization, message] of refused) {
      expect(refusal(access, authorization)).toMatchObject({ code: 'UnauthorizedError', message });
    }
    now = Date.parse('2026-07-01T00:00:00Z');
    expect(refusal(access, bearer('mcpm_good')).message).toBe('The API key is expired.');
  });

  test('a key file without valid keys rejects every request', () => {
    const keys = [keyOf('mcpm_gone', { revoked: '2026-05-01T00:00:00Z' })];
    const access = createManagerAccess({ keys: () => keys });
    expect(access.hasKeys()).toBe(true);
    expect(refusal(access, undefined).code).toBe('UnauthorizedError');
    expect(refusal(createManagerAccess({ keys: () => [] }), undefined).code).toBe('UnauthorizedError');
  });
});

test('each key has its own rate limit, which a reload does not reset', () => {
  let now = 0;
  let keys = [keyOf('mcpm_slow', { rate: '2/m' }), keyOf('mcpm_fast')];
  const access = createManagerAccess({ keys: () => keys }, () => now);
  access.check(bearer('mcpm_slow'));
  access.check(bearer('mcpm_slow'));
  keys = [...keys];
  expect(refusal(access, bearer('mcpm_slow'))).toMatchObject({
    code: 'OverloadedError',
    message: 'The key "mcpm_slow" exceeded its rate limit of 2/m. Retry in 30 s.',
    retryAfterSeconds: 30,
  });
  for (let call = 0; call < 100; call += 1) access.check(bearer('mcpm_fast'));
  now = 30_000;
  access.check(bearer('mcpm_slow'));
  keys = [keyOf('mcpm_slow', { rate: '5/m' })];
  for (let call = 0; call < 5; call += 1) access.check(bearer('mcpm_slow'));
  expect(refusal(access, bearer('mcpm_slow')).code).toBe('OverloadedError');
});

describe('the key file', () => {
  const folder = useTempFolder();
  const open = (): { access: ManagerAccess; file: string; later: () => void; logged: unknown[] } => {
    const file = join(folder(), 'keys.jsonl');
    let now = 0;
    const kernel = testKernel();
    writeFileSync(file, keyFileText([keyOf('mcpm_one')]));
    const source = watchedKeys(file, { log: kernel.log, now: () => now });
    return {
      access: createManagerAccess(source),
      file,
      later: () => void (now += 1000),
      logged: kernel.logged as unknown[],
    };
  };

  test('a changed key file is read again', () => {
    const { access, file, later } = open();
    appendFileSync(file, keyFileText([keyOf('mcpm_two')]));
    expect(refusal(access, bearer('mcpm_two')).code).toBe('UnauthorizedError');
    later();
    expect(access.check(bearer('mcpm_two')).name).toBe('mcpm_two');
    writeFileSync(file, keyFileText([keyOf('mcpm_one', { revoked: '2026-01-01T00:00:00Z' })]));
    later();
    expect(refusal(access, bearer('mcpm_one')).message).toBe('The API key is revoked.');
    expect(refusal(access, bearer('mcpm_two')).message).toBe('Invalid API key.');
  });

  test('an invalid key file is ignored and reported while the manager runs', () => {
    const { access, file, later, logged } = open();
    writeFileSync(file, '{"id":');
    later();
    expect(access.check(bearer('mcpm_one')).name).toBe('mcpm_one');
    expect(logged).toContainEqual(
      expect.objectContaining({
        level: 50,
        reason: `${file}:1: invalid API key: the line must be valid JSON. Remove the line, or create a new key with \`mcp-manager keys create\`.`,
      }),
    );
  });

  test('deleting the key file does not make a running manager accessible without keys', () => {
    const { access, file, later } = open();
    rmSync(file);
    later();
    expect(refusal(access, undefined).code).toBe('UnauthorizedError');
    expect(refusal(access, bearer('mcpm_one')).code).toBe('UnauthorizedError');
  });

  test('a changed key file also applies to callers that have already been authenticated', () => {
    const { access, file, later } = open();
    const caller = access.check(bearer('mcpm_one'));
    expect(caller.canUse('echo', 'add')).toBe(true);
    writeFileSync(file, keyFileText([keyOf('mcpm_one', { tools: ['echo/echo'] })]));
    later();
    expect([caller.canUse('echo', 'add'), caller.canUse('echo', 'echo')]).toEqual([false, true]);
    writeFileSync(file, keyFileText([keyOf('mcpm_one', { revoked: '2026-01-01T00:00:00Z' })]));
    later();
    expect(caller.canUse('echo')).toBe(false);
  });

  test('if the key file becomes a circular link, the previous keys stay valid', () => {
    const { access, file, later } = open();
    rmSync(file);
    symlinkSync('keys.jsonl', file);
    later();
    expect(access.check(bearer('mcpm_one')).name).toBe('mcpm_one');
  });

  test('a new key file applies to a running manager immediately', () => {
    const file = join(folder(), 'later.jsonl');
    let now = 0;
    const access = createManagerAccess(watchedKeys(file, { log: testKernel().log, now: () => now }));
    const anyone = access.check(undefined);
    expect([anyone.name, anyone.canUse('echo')]).toEqual(['anyone', true]);
    writeFileSync(file, keyFileText([keyOf('mcpm_one')]));
    now = 5000;
    expect(refusal(access, undefined).code).toBe('UnauthorizedError');
    expect(anyone.canUse('echo')).toBe(false);
    expect(access.check(bearer('mcpm_one')).name).toBe('mcpm_one');
  });

  test.each([
    ['not json', 'the line must be valid JSON'],
    ['[]', 'the object must be object'],
    [JSON.stringify({ ...keyOf('k'), hash: 'short' }), 'hash must match pattern "^[0-9a-f]{64}$"'],
    [JSON.stringify({ ...keyOf('k'), more: 1 }), 'the object must NOT have additional properties'],
    [JSON.stringify({ ...keyOf('k'), expires: 'soon' }), 'expires must be a date'],
    [
      JSON.stringify({ ...keyOf('k'), rate: 'often' }),
      'rate must be a number, a slash and a unit (s, m, h or d), e.g. 100/m',
    ],
  ])('an invalid key file is rejected at startup: %s', (line, reason) => {
    const file = join(folder(), 'keys.jsonl');
    writeFileSync(file, `\n${line}\n`);
    expect(() => watchedKeys(file, { log: testKernel().log })).toThrow(
      `${file}:2: invalid API key: ${reason}. Remove the line`,
    );
  });
});
