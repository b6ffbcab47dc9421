import { expect, test } from 'vitest';
import { resourceMetadataUrls, serverMetadataUrls } from '#serve/oauth/discover.ts';
import { errorResponseOf } from '#serve/oauth/oauth-failure.ts';
import { challengeOf, createPkce } from '#serve/oauth/pkce.ts';
import { readResourceMetadata } from '#serve/oauth/resource-metadata.ts';
import { readServerMetadata } from '#serve/oauth/server-metadata.ts';

test('metadata URLs are tried in the order of the MCP specification', () => {
  expect(resourceMetadataUrls(new URL('https://example.com/public/mcp'))).toEqual([
    'https://example.com/.well-known/oauth-protected-resource/public/mcp',
    'https://example.com/.well-known/oauth-protected-resource',
  ]);
  expect(resourceMetadataUrls(new URL('https://example.com'))).toEqual([
    'https://example.com/.well-known/oauth-protected-resource',
  ]);
  expect(serverMetadataUrls(new URL('https://auth.example.com/tenant1'))).toEqual([
    'https://auth.example.com/.well-known/oauth-authorization-server/tenant1',
    'https://auth.example.com/.well-known/openid-configuration/tenant1',
    'https://auth.example.com/tenant1/.well-known/openid-configuration',
  ]);
  expect(serverMetadataUrls(new URL('https://auth.example.com/'))).toEqual([
    'https://auth.example.com/.well-known/oauth-authorization-server',
    'https://auth.example.com/.well-known/openid-configuration',
  ]);
});

test('metadata for another resource is rejected', () => {
  const url = new URL('https://mcp.example/tools/mcp?key=1');
  const read = (resource: unknown) =>
    readResourceMetadata({ resource, authorization_servers: ['https://as', 7] }, url);
  for (const resource of [
    'https://mcp.example',
    'https://mcp.example/tools',
    'https://mcp.example/tools/mcp',
  ]) {
    expect(read(resource)).toEqual({
      resource,
      authorizationServers: ['https://as'],
      scopesSupported: undefined,
      requiresDpop: false,
    });
  }
  for (const other of [
    'https://mcp.example/too',
    'https://other.example/',
    'http://mcp.example/',
    'x',
    '',
    1,
  ]) {
    expect(() => read(other)).toThrow(/^The protected-resource metadata/);
  }
});

test('metadata from another issuer is rejected', () => {
  const issuer = 'https://as.example/t';
  expect(
    readServerMetadata({ issuer: `${issuer}/`, token_endpoint: 'https://as.example/token' }, issuer),
  ).toMatchObject({
    issuer: `${issuer}/`,
    tokenEndpoint: 'https://as.example/token',
    sendsIssuer: false,
    codeChallengeMethods: undefined,
  });
  expect(() => readServerMetadata({ issuer: 'https://as.example' }, issuer)).toThrow('another `issuer`');
  expect(() => readServerMetadata(['x'], issuer)).toThrow('has no `issuer`');
});

test('the PKCE challenge matches RFC 7636, appendix B', () => {
  expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
  const { verifier, challenge } = createPkce();
  expect(verifier).toMatch(/^[\w-]{43}$/);
  expect(challenge).toBe(challengeOf(verifier));
});

test("an error message contains only the response's error code and description, or its status", () => {
  const failure = errorResponseOf('No token', 400, {
    error: 'invalid_grant',
    error_description: 'gone\n now.',
    code: 'secret',
  });
  expect(failure).toMatchObject({ message: 'No token: invalid_grant: gone now', code: 'invalid_grant' });
  expect(errorResponseOf('No token', 502, 'refresh_token=secret').message).toBe('No token: status 502');
});
