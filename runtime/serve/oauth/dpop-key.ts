import { parseJsonText } from '#core/json/json-text.ts';
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { importJWK, type JWK, SignJWT } from 'jose';

/**
 * The algorithm of all proofs. RFC 9449 does not require a specific algorithm, but every
 * implementation supports this one.
 */
const DPOP_ALGORITHM = 'ES256';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

interface ProvenRequest {
  readonly method: string;
  readonly url: string;
  /** The request's access token; undefined at the token endpoint. */
  readonly token?: string | undefined;
}

/**
 * A key to which access tokens are bound, so that a stolen token is useless without the key. Each
 * request proves that its sender has the key. @see https://www.rfc-editor.org/rfc/rfc9449
 */
export interface DpopKey {
  /** The private key as JSON, for storage. */
  readonly jwk: string;
  /** Returns the `DPoP` header of a request. */
  proof(request: ProvenRequest): Promise<string>;
  /** Stores the nonce that a server requires in later proofs. Returns whether the nonce is new. */
  learn(url: string, headers: Headers): boolean;
}

/** Creates a new key, or imports an earlier key from its `jwk`. */
export function openDpopKey(jwk: string = newKey()): DpopKey {
  const { kty, crv, x, y, d } = parseJsonText(jwk) as JWK;
  const shared: JWK = { kty, crv, x, y } as JWK;
  const imported = importJWK({ ...shared, d } as JWK, DPOP_ALGORITHM);
  // A failure is reported when the first proof is created.
  imported.catch(() => undefined);
  const nonces = new Map<string, string>();
  return {
    jwk,
    async proof({ method, url, token }) {
      const { origin, pathname } = new URL(url);
      const nonce = nonces.get(origin);
      const claims = {
        htm: method,
        htu: `${origin}${pathname}`,
        ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
        ...(nonce !== undefined && { nonce }),
      };
      return await new SignJWT(claims)
        .setProtectedHeader({ typ: 'dpop+jwt', alg: DPOP_ALGORITHM, jwk: shared })
        .setJti(randomUUID())
        .setIssuedAt()
        .sign(await imported);
    },
    learn(url, headers) {
      const nonce = headers['dpop-nonce'];
      const { origin } = new URL(url);
      if (typeof nonce !== 'string' || nonces.get(origin) === nonce) return false;
      nonces.set(origin, nonce);
      return true;
    },
  };
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify(privateKey.export({ format: 'jwk' }));
}
