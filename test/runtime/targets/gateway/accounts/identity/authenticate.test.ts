import { assert, asyncProperty, string } from 'fast-check';
import { expect, test } from 'vitest';
import { createMasterKey, hashOf } from '#gateway/accounts/identity/credentials.ts';
import { describeDatabases } from '../../databases.ts';
import { MASTER_KEY } from '../../master-key.ts';
import { bearer } from '../../requests.ts';

const KEY = `gw-${'a'.repeat(64)}`;
const WRONG = `Bearer gw-${'b'.repeat(64)}`;

test('admin calls are rejected if no master key is configured, regardless of their credentials', () => {
  for (const key of [undefined, '']) {
    const master = createMasterKey(key);
    expect(master.hasHash(hashOf(''))).toBe(false);
    expect(() => master.require(new Headers())).toThrow(
      expect.objectContaining({
        code: 'UnavailableError',
        message: 'Master key not configured. Set GATEWAY_MASTER_KEY environment variable.',
      }),
    );
  }
});

const REFUSED: readonly (readonly [Record<string, string>, string, string])[] = [
  [{}, 'Missing X-Gateway-Key or Authorization header', 'missing_credentials'],
  [
    { 'x-gateway-key': '', authorization: '' },
    'Missing X-Gateway-Key or Authorization header',
    'missing_credentials',
  ],
  [{ authorization: KEY }, "Invalid header format. Expected 'Bearer <token>'", 'invalid_format'],
  [{ authorization: `Basic ${KEY}` }, "Invalid header format. Expected 'Bearer <token>'", 'invalid_format'],
  [
    { 'x-gateway-key': KEY, authorization: `Bearer ${MASTER_KEY}` },
    "Invalid header format. Expected 'Bearer <token>'",
    'invalid_format',
  ],
  [{ 'x-gateway-key': WRONG, authorization: `Bearer ${MASTER_KEY}` }, 'Invalid API key', 'invalid_key'],
  [
    { authorization: 'Bearer sk-123' },
    "Invalid API key format: API key must start with 'gw-' prefix",
    'invalid_key',
  ],
  [
    { 'x-api-key': 'gw-1' },
    'Invalid API key format: API key is too short. Expected at least 50 characters, got 4',
    'invalid_key',
  ],
  [
    { authorization: `Bearer gw-${'a'.repeat(63)}!` },
    'Invalid API key format: API key contains invalid characters. Must match pattern: gw-[A-Za-z0-9_-]+',
    'invalid_key',
  ],
  [{ authorization: `Bearer ${KEY}` }, 'Invalid API key', 'invalid_key'],
  [{ authorization: `bearer  ${KEY}` }, 'Invalid API key', 'invalid_key'],
];

describeDatabases((database) => {
  test('each invalid credential is rejected with its own message and reason', async () => {
    const { identity } = await database.start();
    for (const [headers, message, reason] of REFUSED) {
      await expect(identity.authenticate(new Headers(headers)), message).rejects.toMatchObject({
        code: 'UnauthorizedError',
        message,
        reason,
      });
    }
  });

  test('the master key and API keys can be sent in three headers, of which the first non-empty one is used', async () => {
    const { identity } = await database.start();
    const { key, secret } = await identity.keys.create({});
    const master = `Bearer ${MASTER_KEY}`;
    for (const headers of [
      { 'x-gateway-key': master },
      { authorization: master },
      { 'x-api-key': MASTER_KEY },
    ]) {
      expect(await identity.authenticate(new Headers(headers as Record<string, string>))).toEqual({
        kind: 'master',
      });
      expect(await identity.authenticateManager(new Headers(headers as Record<string, string>))).toEqual({
        kind: 'master',
      });
    }
    const both = new Headers({
      'x-gateway-key': '',
      authorization: `Bearer ${secret}`,
      'x-api-key': 'nonsense',
    });
    expect(await identity.authenticate(both)).toMatchObject({ kind: 'key', key: { id: key.id } });
    await expect(identity.authenticateManager(bearer(secret))).rejects.toThrow('Invalid master key');
    // A header mangled by a shell or proxy must not crash the server.
    await expect(identity.authenticateManager({ get: () => 'Bearer ünïcode \ud800' })).rejects.toThrow(
      'Invalid master key',
    );
  });

  test('arbitrary text in a header is never accepted as a credential and is always rejected as unauthorized', async () => {
    const { identity } = await database.start();
    await assert(
      asyncProperty(string({ unit: 'binary' }), async (text) => {
        await expect(identity.authenticate({ get: () => `Bearer gw-${text}` })).rejects.toMatchObject({
          code: 'UnauthorizedError',
        });
      }),
      { numRuns: 30 },
    );
  });

  test('changes made by another process apply to authentication within a second and to spending immediately', async () => {
    const here = await database.start();
    const there = await database.open(here.url, { clock: here.clock });
    const { key, secret } = await there.identity.keys.create({ userId: 'ada' });
    const spender = await here.identity.spender(await here.identity.authenticate(bearer(secret)), undefined);
    await there.identity.keys.change(key.id, { isActive: false });
    await expect(here.ledger.reserve(spender, { cost: 1n, tokens: 1, free: false })).rejects.toMatchObject({
      code: 'UnauthorizedError',
      message: 'API key is inactive',
    });
    await there.identity.keys.change(key.id, { isActive: true });
    here.clock.advance(1000);
    const again = await here.identity.spender(await here.identity.authenticate(bearer(secret)), undefined);
    await there.identity.users.change('ada', { blocked: true });
    await expect(here.ledger.reserve(again, { cost: 1n, tokens: 1, free: false })).rejects.toMatchObject({
      message: "User 'ada' is blocked",
    });
    await there.identity.keys.delete(key.id);
    here.clock.advance(1000);
    await expect(here.identity.authenticate(bearer(secret))).rejects.toMatchObject({
      message: 'Invalid API key',
    });
  });
});
