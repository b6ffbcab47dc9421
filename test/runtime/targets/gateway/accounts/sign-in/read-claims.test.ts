import { expect, test } from 'vitest';
import { readClaims } from '#gateway/accounts/sign-in/read-claims.ts';
import type { GroupRule } from '#gateway/accounts/sign-in/sign-in-config.ts';

const rule = (group: string, fields: Partial<GroupRule>): GroupRule => ({
  group,
  role: undefined,
  team: undefined,
  teamRole: 'member',
  ...fields,
});
const RULES = {
  userClaim: 'sub',
  groupsClaim: 'groups',
  groups: [
    rule('staff', { role: 'viewer' }),
    rule('ops', { role: 'admin' }),
    rule('research', { team: 'research' }),
    rule('leads', { team: 'research', teamRole: 'admin' }),
    rule('sales', { team: 'sales' }),
  ],
};

test.each([
  [['staff', 'ops', 'unknown'], 'admin', { research: null, sales: null }],
  [['leads', 'research'], 'member', { research: 'admin', sales: null }],
  ['sales', 'member', { research: null, sales: 'member' }],
  [undefined, 'member', { research: null, sales: null }],
  [{ staff: true }, 'member', { research: null, sales: null }],
])('maps groups %j to a role and teams', (groups, role, teams) => {
  const user = readClaims({ sub: 'ada', name: 'Ada', groups }, RULES);
  expect([user.userId, user.alias, user.role, Object.fromEntries(user.teams)]).toEqual([
    'ada',
    'Ada',
    role,
    teams,
  ]);
});

test('a long name is truncated between characters', () => {
  const { alias = '' } = readClaims({ sub: 'ada', name: `${'x'.repeat(255)}😀😀` }, RULES);
  expect([alias.length, alias.isWellFormed()]).toEqual([255, true]);
});

test('claims set no role if there are no role rules', () => {
  expect(readClaims({ sub: 'ada' }, { ...RULES, groups: [rule('a', { team: 't' })] }).role).toBe(undefined);
});

test('an email address identifies a user only if the provider has verified it', () => {
  const rules = { ...RULES, userClaim: 'email' };
  const email = 'ada@example.com';
  expect(readClaims({ email, email_verified: true }, rules).userId).toBe(email);
  for (const claims of [{ email }, { email, email_verified: false }, { email, email_verified: 'true' }])
    expect(() => readClaims(claims, rules)).toThrow(/has not verified the email address/);
  for (const claims of [{}, { sub: '' }, { sub: 5 }])
    expect(() => readClaims(claims, RULES)).toThrow('The ID token does not contain the claim sub');
});
