import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { readClientKey } from '../config/client-key.ts';
import type { ClientKey } from '../config/spec.ts';

/** An assertion is used immediately, so its lifetime only has to cover clock skew. */
const LIFETIME = '60s';

/**
 * Returns a signed client assertion. `audience` is the authorization server.
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-3
 */
export function clientAssertion(clientId: string, { key, id }: ClientKey, audience: string): Promise<string> {
  const signing = readClientKey(key);
  const kid = id ?? signing.id;
  return new SignJWT()
    .setProtectedHeader({ alg: signing.algorithm, ...(kid !== undefined && { kid }) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(LIFETIME)
    .sign(signing.key);
}
