import { expect, test } from 'vitest';
import type { OAuthHttp } from '#serve/oauth/oauth-http.ts';
import { requestTokens } from '#manager/sign-in/token-request.ts';

const CENTURY_MS = 100 * 365 * 24 * 3600 * 1000;

test.each([
  [60, 60_000],
  ['60', 60_000],
  [0, 0],
  [1e300, CENTURY_MS],
  ['9'.repeat(400), undefined],
  [-1, undefined],
  ['soon', undefined],
  [null, undefined],
  [undefined, undefined],
])('expires_in %j results in a valid expiry date or none', async (value, expected) => {
  const body = { access_token: 'token', token_type: 'Bearer', expires_in: value };
  const http: Pick<OAuthHttp, 'postForm'> = {
    postForm: () => Promise.resolve({ status: 200, body, headers: {} }),
  };
  const request = { endpoint: 'https://as.example/token', issuer: undefined, client: { id: 'x' }, grant: {} };
  const { expiresAt } = await requestTokens(http as OAuthHttp, request as never, () => 1000);
  expect(expiresAt).toBe(expected === undefined ? undefined : 1000 + expected);
  expect(() => new Date(expiresAt ?? 0).toISOString()).not.toThrow();
});
