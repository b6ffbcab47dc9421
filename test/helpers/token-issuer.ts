import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface TokenIssuer {
  readonly issuer: string;
  /** Signs an access token that is valid for a minute; the claims override the defaults. */
  readonly token: (claims: JWTPayload) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** An authorization server with only metadata and a key set, for the audience of the tokens. */
export async function startTokenIssuer(audience: string): Promise<TokenIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }];
  const server = createServer(({ url }, response) => {
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys },
    };
    const found = documents[url ?? ''];
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    token: (claims) =>
      new SignJWT({ iss: issuer, aud: audience, sub: 'ann', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setExpirationTime(claims.exp ?? '1m')
        .sign(privateKey),
    close: async () => void (await new Promise((resolve) => server.close(resolve))),
  };
}
