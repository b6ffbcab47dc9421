import { expect, test } from 'vitest';
import { isPerUser } from '#manager/config/spec.ts';
import {
  hasReferences,
  markReferences,
  referencesIn,
  replaceReferences,
} from '#manager/config/user-references.ts';
import { configured } from '../user-secrets/configured.ts';

const fill = (written: string): string =>
  replaceReferences(markReferences(written, 'env').text, (one) =>
    one.kind === 'id' ? '<id>' : `<${one.kind} ${one.name}>`,
  );

test.each([
  ['${user.id}', '<id>'],
  ['a ${user.secret.GITHUB_TOKEN} b', 'a <secret GITHUB_TOKEN> b'],
  ['${user.claim.https://id.example/tenant}', '<claim https://id.example/tenant>'],
  ['$${user.id}', '$${user.id}'],
  ['$$${user.id}', '$$<id>'],
  ['${NAME:-${user.id}}', '${NAME:-<id>}'],
])('%j is read as %j', (written, expected) => {
  expect(fill(written)).toBe(expected);
});

test.each([
  '${user.}',
  '${user.name}',
  '${user.secret}',
  '${user.secret.1A}',
  '${user.secret.A B}',
  '${user.claim.}',
])('%s is rejected with the values that exist', (written) => {
  expect(markReferences(written, 'env').problems).toEqual([
    expect.stringContaining(`unknown value ${written}. Use \${user.id}, \${user.secret.NAME} or`),
  ]);
});

test('a variable whose value looks like a reference stays a text', () => {
  const [spec] = configured(
    '[[servers]]\nname = "a"\ncommand = "a"\ntools = ["*"]\nenv = { A = "${V}", B = "$${user.id}" }\n',
    { V: '${user.secret.TOKEN}' },
  );
  expect(spec && isPerUser(spec)).toBe(false);
  expect(spec?.launch).toMatchObject({ env: { A: '${user.secret.TOKEN}', B: '${user.id}' } });
});

test('a server with references has a process for each user, and starts with the first call', () => {
  const [spec] = configured(
    '[[servers]]\nname = "a"\npackage = "npx::a@1.0.0"\ntools = ["*"]\nargs = ["--user", "${user.id}"]\nenv = { A = "${user.secret.T}" }\n',
  );
  expect(spec).toMatchObject({ lazy: true, maxInstances: 32 });
  expect(spec?.launch).toMatchObject({ userValues: [{ kind: 'id' }, { kind: 'secret', name: 'T' }] });
  const { launch } = spec ?? {};
  const args = launch?.kind === 'process' ? launch.args : [];
  expect(args.filter((arg) => hasReferences(arg))).toHaveLength(1);
  expect(referencesIn(args)).toEqual([{ kind: 'id' }]);
});

test.each([
  ['command = "${user.id}"', '${user.id} can only be used in env, args and headers'],
  ['command = "a"\ncwd = "/home/${user.id}"', '${user.id} can only be used in env, args and headers'],
  ['url = "https://a.example/${user.id}"', '${user.id} can only be used in env, args and headers'],
  ['command = "/bin/sh"\nargs = ["-c", "run ${user.id}"]', 'args of the shell sh cannot contain ${user.…}'],
  ['command = "a"\nmax_instances = 2', 'max_instances requires values of users'],
  [
    'url = "https://a.example"\nuser_connection = "shared"',
    'user_connection requires headers with ${user.…}',
  ],
  ['command = "a"\nuser_connection = "shared"', 'user_connection conflicts with command'],
])('%j is rejected', (settings, problem) => {
  expect(() => configured(`[[servers]]\nname = "a"\ntools = ["*"]\n${settings}\n`)).toThrow(problem);
});
