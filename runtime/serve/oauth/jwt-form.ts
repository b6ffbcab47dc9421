/**
 * Signatures with public keys only. With a shared secret (HS256), this server could create tokens itself, and an attacker could
 * use a public key as the secret.
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

/** Whether a bearer token has the form of a JWT: three parts, of which the first is a JSON object. */
export const isJwt = (token: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
