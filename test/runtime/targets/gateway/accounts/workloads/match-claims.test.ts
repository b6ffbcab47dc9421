import { describe, expect, test } from 'vitest';
import { matchRule, templateParts } from '#gateway/accounts/workloads/match-claims.ts';
import type { ClaimPatterns, WorkloadRule } from '#gateway/accounts/workloads/workload-config.ts';

const ruleFor = (claims: ClaimPatterns, user = 'ci/{sub}'): WorkloadRule => ({
  claims,
  user,
  team: null,
  settings: {},
});
const userOf = (rules: readonly WorkloadRule[], claims: object): string =>
  matchRule({ name: 'ci', rules }, claims as Record<string, unknown>).userId;

const NO_RULE = 'No rule of the workload issuer `ci` matches the token’s claims.';

describe('claims', () => {
  test.each<[string, ClaimPatterns, object]>([
    ['a pattern', { repository: ['acme/*'] }, { repository: 'acme/app' }],
    ['one of several patterns', { ref: ['refs/heads/main', 'refs/tags/*'] }, { ref: 'refs/tags/v1' }],
    ['one item of a list', { groups: ['ci'] }, { groups: ['dev', 'ci'] }],
    ['numbers and booleans', { run: ['7'], protected: ['true'] }, { run: 7, protected: true }],
    [
      'members of a claim',
      { 'kubernetes.io': { namespace: ['prod'] } },
      { 'kubernetes.io': { namespace: 'prod' } },
    ],
  ])('%s matches', (_name, patterns, claims) => {
    expect(userOf([ruleFor(patterns)], { sub: 'x', ...claims })).toBe('ci/x');
  });

  test.each<[string, ClaimPatterns, object]>([
    ['another prefix', { repository: ['acme/*'] }, { repository: 'evil/acme/app' }],
    ['another letter case', { ref: ['refs/heads/main'] }, { ref: 'refs/heads/MAIN' }],
    ['a missing claim', { ref: ['*'] }, {}],
    ['an inherited member', { constructor: ['*'], toString: ['*'] }, {}],
    ['null', { ref: ['null', '*'] }, { ref: null }],
    ['only one of two claims', { a: ['1'], b: ['2'] }, { a: '1', b: '3' }],
    ['a text instead of members', { a: { b: ['*'] } }, { a: 'b' }],
    ['members instead of a text', { a: ['*'] }, { a: { b: 'c' } }],
  ])('%s does not match', (_name, patterns, claims) => {
    expect(() => userOf([ruleFor(patterns)], { sub: 'x', ...claims })).toThrow(NO_RULE);
  });

  test('the first matching rule applies', () => {
    const rules = [ruleFor({ ref: ['main'] }, 'main'), ruleFor({ sub: ['*'] }, 'others')];
    expect(userOf(rules, { sub: 'a', ref: 'main' })).toBe('main');
    expect(userOf(rules, { sub: 'a', ref: 'topic' })).toBe('others');
  });
});

describe('users', () => {
  const all = { sub: ['*'] };
  test('claims are filled in', () => {
    const claims = { sub: 'x', a: 'one', n: 2, 'kubernetes.io': { pod: { name: 'p' } } };
    expect(userOf([ruleFor(all, 'k8s:{a}:{n}:{kubernetes.io/pod/name}!')], claims)).toBe('k8s:one:2:p!');
  });

  test.each([
    [
      'a missing claim',
      'ci/{nope}',
      'The token does not contain the claim `nope`, which is part of the user ID.',
    ],
    ['an object', 'ci/{o}', 'The token does not contain the claim `o`, which is part of the user ID.'],
    [
      'an empty claim',
      'ci/{empty}',
      'The token does not contain the claim `empty`, which is part of the user ID.',
    ],
  ])('%s is refused', (_name, template, message) => {
    expect(() => userOf([ruleFor(all, template)], { sub: 'x', o: {}, empty: '' })).toThrow(message);
  });

  test('a claim that contains the separator is refused, because another token could get the same user', () => {
    const rules = [ruleFor(all, 'ci/{repository}/{environment}')];
    expect(() => userOf(rules, { sub: 'x', repository: 'acme/app', environment: 'prod' })).toThrow(
      '"/" separates the claim `repository` from the next claim in the user ID, but the claim contains it or ends with a part of it. Use another separator in `ci/{repository}/{environment}`.',
    );
    const others = [ruleFor(all, 'ci/{repository}:{environment}')];
    expect(userOf(others, { sub: 'x', repository: 'acme/app', environment: 'a/b:c' })).toBe(
      'ci/acme/app:a/b:c',
    );
  });

  test('two tokens with different claims never get the same user, whatever the separator', () => {
    for (const separator of ['/', '--', 'aba', 'ab']) {
      const rules = [ruleFor(all, `ci/{a}${separator}{b}`)];
      const claimsOf = new Map<string, string>();
      const values = ['-', '--', 'x', 'x-', '-x', 'a', 'ab', 'aba', 'bab', 'ba', 'b', '/', 'x/'];
      for (const a of values) {
        for (const b of values) {
          try {
            const user = userOf(rules, { sub: 'x', a, b });
            expect(claimsOf.get(user), user).toBeUndefined();
            claimsOf.set(user, `${a} ${b}`);
          } catch (error) {
            if ((error as { code?: string }).code !== 'ForbiddenError') throw error;
          }
        }
      }
      expect(claimsOf.size).toBeGreaterThan(20);
    }
  });

  test.each(['ci/{sub', 'ci/sub}', 'ci/{}', 'ci/{a{b}}'])('%s has unmatched braces', (template) => {
    expect(templateParts(template)).toBeUndefined();
  });
});
