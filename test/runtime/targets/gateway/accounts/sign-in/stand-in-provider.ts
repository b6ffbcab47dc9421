import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** An OpenID Connect provider on loopback that requires no user input. */
export interface StandInProvider {
  readonly issuer: string;
  /** The claims of the next user who signs in. */
  claims: JWTPayload;
  /** Changes the next ID token, for example its signing key. */
  sign: (claims: JWTPayload) => Promise<string>;
  /** Replaces the signing key, as providers do every few months. */
  readonly rotate: () => Promise<void>;
  /** Number of requests for the key set. */
  readonly keyRequests: () => number;
  readonly close: () => Promise<void>;
}

export const CLIENT = { clientId: 'gateway', clientSecret: 's3cret: with a colon' };

export async function openStandInProvider(): Promise<StandInProvider> {
  const codes = new Map<string, { readonly challenge: string; readonly nonce: string }>();
  let [pair, kid, keyRequests] = [await generateKeyPair('ES256'), 'key 1', 0];
  const sign = async (claims: JWTPayload, key: CryptoKey = pair.privateKey): Promise<string> =>
    await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(key);

  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', provider.issuer);
      const send = (status: number, body: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (url.pathname === '/.well-known/openid-configuration') {
        return send(200, {
          issuer: provider.issuer,
          authorization_endpoint: `${provider.issuer}/authorize`,
          token_endpoint: `${provider.issuer}/token`,
          jwks_uri: `${provider.issuer}/keys`,
          authorization_response_iss_parameter_supported: true,
        });
      }
      if (url.pathname === '/keys') {
        keyRequests += 1;
        return send(200, { keys: [{ ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' }] });
      }
      if (url.pathname === '/authorize') {
        const code = `code ${codes.size}`;
        const of = (name: string): string => url.searchParams.get(name) ?? '';
        codes.set(code, { challenge: of('code_challenge'), nonce: of('nonce') });
        const back = new URL(of('redirect_uri'));
        back.searchParams.set('code', code);
        back.searchParams.set('state', of('state'));
        back.searchParams.set('iss', provider.issuer);
        return void response.writeHead(302, { location: back.href }).end();
      }
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
      const code = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const pairText = [CLIENT.clientId, CLIENT.clientSecret].map((text) =>
        encodeURIComponent(text).replaceAll('%20', '+'),
      );
      const isClient =
        request.headers.authorization === `Basic ${Buffer.from(pairText.join(':')).toString('base64')}`;
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (!isClient) return send(401, { error: 'invalid_client' });
      if (code?.challenge !== challenge)
        return send(400, { error: 'invalid_grant', error_description: 'no.' });
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: provider.issuer,
        aud: CLIENT.clientId,
        iat: now,
        exp: now + 300,
        nonce: code.nonce,
        ...provider.claims,
      };
      return send(200, { access_token: 'a', token_type: 'Bearer', id_token: await provider.sign(claims) });
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const provider: StandInProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    claims: { sub: 'ada' },
    sign,
    async rotate() {
      [pair, kid] = [await generateKeyPair('ES256'), 'key 2'];
    },
    keyRequests: () => keyRequests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
