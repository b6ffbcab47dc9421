import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { createJwks, isJwt, SIGNATURE_ALGORITHMS } from '#serve/oauth/jwks.ts';
import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import { verifyToken } from '#serve/oauth/verify-token.ts';

const RULES = {
  issuer: 'https://as.example',
  audiences: ['https://mcp.example'],
  algorithms: SIGNATURE_ALGORITHMS,
};
const NOW = Date.parse('2026-11-26T12:00:00Z');
const SECONDS = NOW / 1000;

async function keyOf(kid: string, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  const sign = (claims: object, header = {}): Promise<string> =>
    new SignJWT({
      iss: RULES.issuer,
      aud: 'https://mcp.example',
      exp: SECONDS + 60,
      sub: 'ann',
      ...claims,
    } satisfies JWTPayload)
      .setProtectedHeader({ alg, kid, ...header })
      .sign(privateKey);
  return { jwk, sign };
}

/** An issuer whose key set and clock the test can change. */
function issuer() {
  const state = { now: NOW, keys: [] as object[], loads: 0, fails: false };
  const load = () => {
    state.loads += 1;
    if (state.fails)
      return Promise.reject(new OAuthFailure('Cannot connect to https://as.example/jwks: refused'));
    return Promise.resolve({ keys: state.keys as [] });
  };
  const keys = createJwks({ load, now: () => state.now });
  return { state, verify: (token: string) => verifyToken(token, RULES, keys, () => state.now) };
}

test('a token is accepted only with the right signature, issuer, audience and times', async () => {
  const { state, verify } = issuer();
  const [key, stranger] = [await keyOf('one'), await keyOf('one')];
  state.keys = [key.jwk];
  expect(await verify(await key.sign({ scope: 'a b' }))).toMatchObject({ sub: 'ann', scope: 'a b' });
  expect(await verify(await key.sign({ aud: ['https://x.example', 'https://mcp.example'] }))).toBeDefined();
  expect(await verify(await key.sign({ exp: SECONDS - 20 })), 'clock tolerance').toBeDefined();
  const wrong: [string, Promise<string> | string][] = [
    ['its signature is invalid', stranger.sign({})],
    ['its issuer does not match the configured issuer', key.sign({ iss: 'https://as.example/' })],
    ['it is for a different audience', key.sign({ aud: 'https://other.example' })],
    ['it is for a different audience', key.sign({ aud: undefined })],
    ['it has expired', key.sign({ exp: SECONDS - 40 })],
    ['its expiry is missing or invalid', key.sign({ exp: undefined })],
    ['it is not valid yet', key.sign({ nbf: SECONDS + 40 })],
    ['its key is unknown', (await keyOf('two')).sign({})],
    ['it is malformed', 'eyJh.eyJh.x'],
    ['its signature is invalid', `${(await key.sign({})).split('.').slice(0, 2).join('.')}.`],
  ];
  for (const [reason, token] of wrong) {
    await expect(verify(await token), reason).rejects.toMatchObject({
      code: 'UnauthorizedError',
      reason: 'invalid_token',
      message: `Invalid access token: ${reason}.`,
    });
  }
});

test('only algorithms with public keys are accepted', async () => {
  const { state, verify } = issuer();
  for (const alg of ['RS256', 'PS256', 'ES384', 'Ed25519']) {
    const key = await keyOf(alg, alg);
    state.keys = [...state.keys, key.jwk];
    state.now += 60_000;
    expect(await verify(await key.sign({ exp: SECONDS + 3600 })), alg).toMatchObject({ sub: 'ann' });
  }
  const header = Buffer.from('{"alg":"none"}').toString('base64url');
  const claims = Buffer.from(JSON.stringify({ iss: RULES.issuer, exp: SECONDS + 60 })).toString('base64url');
  await expect(verify(`${header}.${claims}.`)).rejects.toThrow(/algorithm is not allowed|malformed/);
  const secret = new TextEncoder().encode('a shared secret of 32 characters.');
  const shared = await new SignJWT({ iss: RULES.issuer, exp: SECONDS + 3600, aud: 'https://mcp.example' })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(secret);
  await expect(verify(shared)).rejects.toThrow('algorithm is not allowed');
});

test('keys are cached, rotated, and kept while the issuer does not respond', async () => {
  const { state, verify } = issuer();
  const [old, next] = [await keyOf('old'), await keyOf('next')];
  state.keys = [old.jwk];
  const far = { exp: SECONDS + 86_400 };
  await Promise.all([1, 2, 3].map(async () => verify(await old.sign(far))));
  expect(state.loads).toBe(1);

  state.keys = [old.jwk, next.jwk];
  await expect(verify(await next.sign(far)), 'cooldown').rejects.toThrow('its key is unknown');
  state.now += 31_000;
  await Promise.all([1, 2, 3].map(async () => verify(await next.sign(far))));
  expect(state.loads).toBe(2);

  state.fails = true;
  state.now += 11 * 60_000;
  expect(await verify(await next.sign(far))).toBeDefined();
  expect(state.loads).toBe(3);

  state.fails = false;
  state.keys = [next.jwk];
  state.now += 31_000;
  await verify(await next.sign(far));
  await expect(verify(await old.sign(far)), 'a removed key').rejects.toThrow('its key is unknown');
});

test('if the issuer has never responded, the error is that its keys are unavailable, not that the token is invalid', async () => {
  const { state, verify } = issuer();
  state.fails = true;
  const key = await keyOf('one');
  await expect(verify(await key.sign({}))).rejects.toMatchObject({
    code: 'UnavailableError',
    message:
      'The keys of the token issuer are not available: Cannot connect to https://as.example/jwks: refused',
  });
});

test('API keys of this program are not JWTs', async () => {
  expect(isJwt(await (await keyOf('one')).sign({}))).toBe(true);
  for (const key of ['mk-abc', 'eyJ.a', 'a.b.c', '']) expect(isJwt(key)).toBe(false);
});
