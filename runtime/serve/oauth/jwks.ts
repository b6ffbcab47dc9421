import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';

/** Finds the public key for a token by the token's header. */
export type KeyFinder = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

export interface JwksOptions {
  /** Requests the key set. Rejects if there is no key set. */
  readonly load: () => Promise<JSONWebKeySet>;
  readonly now?: () => number;
  /**
   * Time after which the key set is requested again, so that keys that the issuer has removed are
   * no longer accepted.
   */
  readonly maxAgeMs?: number;
  /**
   * Minimum time between requests for the key set when tokens have unknown keys, so that not every
   * invalid token causes a request.
   */
  readonly cooldownMs?: number;
}

interface LoadedKeys {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly at: number;
}

/**
 * Caches an issuer's key set. An unknown key triggers another request, because issuers rotate their
 * keys. Concurrent callers share one request. If a request fails, the previous keys stay valid,
 * because the issuer may be restarting.
 */
export function createJwks({
  load,
  now = Date.now,
  maxAgeMs = 10 * 60_000,
  cooldownMs = 30_000,
}: JwksOptions): KeyFinder {
  let keys: LoadedKeys | undefined;
  let triedAt = -Infinity;
  let loading: Promise<LoadedKeys> | undefined;

  const request = async (): Promise<LoadedKeys> => {
    triedAt = now();
    return { find: createLocalJWKSet(await load()), at: triedAt };
  };
  const reload = async (): Promise<LoadedKeys> => {
    loading ??= request().finally(() => (loading = undefined));
    keys = await loading;
    return keys;
  };
  const mayRequest = (): boolean => loading !== undefined || now() - triedAt >= cooldownMs;
  const current = async (): Promise<LoadedKeys> => {
    if (!keys) return await reload();
    if (now() - keys.at < maxAgeMs || !mayRequest()) return keys;
    const before = keys;
    return await reload().catch(() => before);
  };

  return async (header, token) => {
    const known = await current();
    try {
      return await known.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayRequest()) throw error;
      const newer = await reload().catch(() => known);
      return await newer.find(header, token);
    }
  };
}

/**
 * Only algorithms with public keys are allowed. With a shared secret (HS256), this server could
 * create tokens itself, and an attacker could use a public key as the secret.
 */
export const SIGNATURE_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** Whether a bearer token has the form of a JWT: three parts, the first of which is a JSON object. */
export const isJwt = (token: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
