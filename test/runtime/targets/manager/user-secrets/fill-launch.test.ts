import { expect, test } from 'vitest';
import { fillHeaders, fillLaunch } from '#manager/user-secrets/fill-launch.ts';
import { configured } from './configured.ts';

const secrets = {
  value: (user: string, name: string) => (name === 'MISSING' ? undefined : `${name} of ${user}`),
};
const learned: string[] = [];
const parts = {
  secrets,
  onSecret: (all: readonly { value: string }[]) => all.forEach(({ value }) => learned.push(value)),
};
const ANN = {
  user: 'key a',
  userId: 'ann',
  claims: { email: 'ann@id.example', level: 3, admin: false, roles: ['x'] },
};

const fill = (env: string, user: Parameters<typeof fillLaunch>[1] = ANN, args = '') => {
  const [spec] = configured(
    `[[servers]]\nname = "a"\ncommand = "a"\ntools = ["*"]\n${args}\nenv = { A = ${JSON.stringify(env)} }\n`,
  );
  if (!spec) throw new Error('no server');
  const { launch, problem } = fillLaunch(spec, user, parts);
  return problem?.message ?? (launch.kind === 'process' ? [launch.env['A'], ...launch.args].join(' ') : '');
};

test.each([
  ['${user.id}', 'ann'],
  ['${user.secret.T} and ${user.secret.T}', 'T of key a and T of key a'],
  ['${user.claim.email} ${user.claim.level} ${user.claim.admin}', 'ann@id.example 3 false'],
  ['${user.secret.MISSING} ${user.id}', 'server a requires your secret MISSING.'],
  ['${user.claim.roles}', 'server a: ${user.claim.roles} requires an access token with the claim roles.'],
  [
    '${user.claim.toString}',
    'server a: ${user.claim.toString} requires an access token with the claim toString.',
  ],
])('%j becomes %j', (env, expected) => {
  expect(fill(env)).toBe(expected);
});

test('used secrets are redacted', () => {
  learned.length = 0;
  fill('${user.secret.T}');
  expect(learned).toEqual(['T of key a']);
});

test.each(['../bob', 'a/b', 'a\\b', '..', '.', 'a\nb'])('a name that is a path is rejected: %j', (userId) => {
  expect(fill('/data/${user.id}', { user: 'key a', userId })).toBe(
    'server a: the value of ${user.id} must not be a path, because it is used in env or args.',
  );
});

test('a value cannot become an option of the program', () => {
  const args = 'args = ["${user.secret.T}", "--name=${user.id}"]';
  const own = { ...ANN, userId: '-x' };
  expect(fill('', own, args)).toContain('--name=-x');
  const hostile = { ...parts, secrets: { value: () => '--eval=1' } };
  const [spec] = configured(
    '[[servers]]\nname = "a"\ncommand = "a"\ntools = ["*"]\nargs = ["${user.secret.T}"]\n',
  );
  expect(spec && fillLaunch(spec, ANN, hostile).problem?.message).toBe(
    'server a: the value of ${user.secret.T} must not start with "-".',
  );
});

test('a value cannot add a header', () => {
  const [spec] = configured(
    '[[servers]]\nname = "a"\nurl = "https://a.example"\ntools = ["*"]\nuser_connection = "shared"\nheaders = { X-T = "${user.secret.T}" }\n',
  );
  const headers = spec?.launch.kind === 'remote' ? (spec.launch.callHeaders ?? {}) : {};
  expect(fillHeaders('a', headers, ANN, parts)).toEqual({ headers: { 'x-t': 'T of key a' } });
  const hostile = { ...parts, secrets: { value: () => 'a\r\nX-Admin: yes' } };
  expect(fillHeaders('a', headers, ANN, hostile).problem?.message).toBe(
    'server a: the value of ${user.secret.T} contains characters that are not allowed in headers.',
  );
});
