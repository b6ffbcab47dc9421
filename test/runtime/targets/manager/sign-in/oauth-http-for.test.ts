import { expect, test } from 'vitest';
import { oauthHttpFor } from '#manager/sign-in/oauth-http-for.ts';

/** Port 1 is closed, so a request that is allowed cannot connect. */
async function reasonFor(server: string, issuer: string | undefined, asked: string): Promise<string> {
  const http = await oauthHttpFor({ url: new URL(server), issuer, timeoutMs: 2000 });
  try {
    return await http.get(asked).then(
      () => 'answered',
      (error: Error) => error.message,
    );
  } finally {
    await http.close();
  }
}

test.each([
  ['http://localhost:8000/mcp', undefined],
  ['http://keycloak:8000/mcp', undefined],
  ['http://10.1.2.3/mcp', undefined],
  ['http://mcp.internal/mcp', undefined],
  ['https://mcp.example/mcp', 'http://127.0.0.1:8000/realm'],
])('sign-in to the server %s with issuer %s can use private addresses', async (server, issuer) => {
  expect(await reasonFor(server, issuer, 'http://127.0.0.1:1/token')).toContain('Cannot connect to');
});

test.each([
  ['http://mcp.example/mcp', undefined],
  ['http://8.8.8.8/mcp', 'http://8.8.4.4/realm'],
  // A name that resolves to a private address does not prove that the server is private.
  ['http://localhost.evil.example/mcp', undefined],
])('sign-in to the server %s with issuer %s cannot use private addresses', async (server, issuer) => {
  expect(await reasonFor(server, issuer, 'http://127.0.0.1:1/token')).toBe(
    '127.0.0.1 has the address 127.0.0.1, which is not public. If you trust it, set oauth.issuer to the authorization server',
  );
  expect(await reasonFor('https://mcp.example', undefined, 'http://id.example/')).toContain(
    'must start with https://',
  );
});
