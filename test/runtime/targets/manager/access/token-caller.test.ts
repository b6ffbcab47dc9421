import { expect, test } from 'vitest';
import { ownAudiences, tokenCaller } from '#manager/access/token-access.ts';
import type { ResourceSettings } from '#manager/config/spec.ts';

const BASE = 'https://mcp.example';
const settings: ResourceSettings = {
  issuer: 'https://id.example',
  resource: BASE,
  audiences: ['mcp-manager'],
  jwksUri: undefined,
  algorithms: ['ES256'],
  userClaim: 'sub',
  adminScope: 'mcp:admin',
  scopes: new Map([
    ['read', ['git/get_*', 'time']],
    ['all', ['*']],
  ]),
};
const callerOf = (claims: object, changes: Partial<ResourceSettings> = {}) =>
  tokenCaller({ ...settings, ...changes }, { aud: BASE, sub: 'ann', ...claims });

test('the scopes in a token determine which servers and tools it allows', () => {
  const reader = callerOf({ scope: 'openid read' });
  expect(reader).toMatchObject({ name: 'user:ann', admin: false, grants: 'openid read' });
  const allowed = [
    ['git', 'get_log'],
    ['time', 'now'],
    ['git', 'push'],
    ['other', 'x'],
  ] as const;
  expect(allowed.map(([server, tool]) => reader?.canUse(server, tool))).toEqual([true, true, false, false]);
  expect(reader?.canRead('git', 'prompt', 'x')).toBe(false);
  expect(callerOf({ scp: ['all', 'mcp:admin'] })).toMatchObject({ admin: true });
  expect(callerOf({ scp: ['all'] })?.canUse('other', 'x')).toBe(true);
  for (const scope of ['', 'unknown', undefined]) expect(callerOf({ scope })?.canUse('time')).toBe(false);
  expect(callerOf({ scope: '' }, { scopes: undefined })?.canUse('time', 'now')).toBe(true);
});

test("a token whose audience is one server's endpoint allows only that server", () => {
  const aud = [`${BASE}/mcp/Time`, 'https://other.example'];
  expect(callerOf({ aud, scope: 'all' })?.canUse('time', 'now')).toBe(true);
  expect(callerOf({ aud, scope: 'all' })?.canUse('git', 'get_log')).toBe(false);
  expect(callerOf({ aud, scope: 'all' })?.canRead('git', 'resource', 'x')).toBe(false);
  for (const whole of ['mcp-manager', BASE, `${BASE}/mcp`]) {
    expect(callerOf({ aud: [...aud, whole], scope: 'all' })?.canUse('git', 'get_log')).toBe(true);
  }
  expect(ownAudiences(settings, { aud: [`${BASE}.evil.example`, `${BASE}/other`, 7] })).toEqual([]);
});

test("the caller's name is the value of the configured claim, or the client ID if there is no user", () => {
  expect(callerOf({ email: 'a@b' }, { userClaim: 'email' })?.name).toBe('user:a@b');
  expect(callerOf({ sub: undefined, client_id: 'robot' })?.name).toBe('user:robot');
  expect(callerOf({ sub: undefined })).toBeUndefined();
});

test('a token has the mode in the configured claim, and a value that is not a mode is rejected', () => {
  expect(callerOf({ mcp_mode: 'code' })?.mcpMode).toBeUndefined();
  const withClaim = { modeClaim: 'mcp_mode' };
  expect(callerOf({ mcp_mode: 'code' }, withClaim)?.mcpMode).toBe('code');
  for (const mcp_mode of [undefined, null])
    expect(callerOf({ mcp_mode }, withClaim)).not.toHaveProperty('mcpMode');
  expect(callerOf({}, { modeClaim: 'constructor' })).not.toHaveProperty('mcpMode');
  for (const mcp_mode of ['lua', '', 'Code', 7, ['code'], 'x'.repeat(10_000)]) {
    expect(() => callerOf({ mcp_mode }, withClaim)).toThrow(
      /^Invalid access token: the claim mcp_mode must be all, search or code, not .{1,50}\.$/,
    );
  }
});
