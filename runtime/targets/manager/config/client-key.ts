import { lookup } from '#core/values/lookup.ts';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';

/** A private key and its signature algorithm. */
export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithm: string;
  /** The key ID of a JSON Web Key. */
  readonly id: string | undefined;
}

const CURVES = lookup<string>({
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
});
const RULE = 'must be a private key as PEM (PKCS #8) or as a JSON Web Key, of type RSA, EC or Ed25519';

/** Explains why a text is not a valid private key; undefined if it is. */
export function clientKeyProblem(text: string): string | undefined {
  try {
    readClientKey(text);
    return undefined;
  } catch {
    return RULE;
  }
}

/** Parses a private key. Throws if it is invalid; the error can contain parts of the key, so it must not be shown. */
export function readClientKey(text: string): SigningKey {
  const jwk = text.trimStart().startsWith('{') ? parseJsonText(text) : undefined;
  const key = isObject(jwk) ? createPrivateKey({ key: jwk, format: 'jwk' }) : createPrivateKey(text);
  const { alg, kid } = isObject(jwk) ? jwk : {};
  const algorithm = typeof alg === 'string' ? alg : algorithmOf(key);
  if (algorithm === undefined) throw new Error(RULE);
  return { key, algorithm, id: typeof kid === 'string' ? kid : undefined };
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): string | undefined {
  if (type === 'rsa') return 'RS256';
  if (type === 'ed25519') return 'EdDSA';
  return type === 'ec' ? CURVES[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
}
