import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { configError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { withFileLock } from '#platform/files/file-lock.ts';
import type { ServerUser } from '../access/caller.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { sealKey } from '../sealed/seal-key.ts';
import { readSealed, type SealedFile, writeSealed } from '../sealed/sealed-file.ts';
import { signInFolder } from '../sign-in/sign-in-folder.ts';

/** Signs statements about users with the manager's own key, for servers that trust the manager. */
export interface OpenedSigner {
  sign(
    user: ServerUser,
    claims: { readonly issuer: string; readonly audience: string },
  ): Promise<{ readonly token: string; readonly expiresAt: number }>;
  /** Returns the public keys as a JSON Web Key Set. */
  keys(): Promise<{ readonly keys: readonly JWK[] }>;
}

const ALGORITHM = 'ES256';
/** Lifetime of a statement. */
const LIFETIME_MS = 60_000;

/** Opens the signer. The key is created with the first statement, and shared by all managers with these files. */
export function openIdentitySigner(
  paths: ConfigPaths,
  env: Readonly<Record<string, string | undefined>>,
): OpenedSigner {
  const folder = join(dirname(paths.runtime), 'user-secrets');
  const file: SealedFile = {
    path: join(folder, 'identity-key.json'),
    purpose: 'key of signed identities',
    key: () => sealKey(signInFolder(paths), env),
  };
  let opened: Promise<SigningKey> | undefined;
  const open = (): Promise<SigningKey> =>
    (opened ??= openKey(folder, file).catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
  return {
    async sign({ user, userId, grants }, { issuer, audience }) {
      const { id, key } = await open();
      const expiresAt = Date.now() + LIFETIME_MS;
      const isToken = grants !== undefined;
      const token = await new SignJWT({ auth: isToken ? 'access_token' : 'api_key' })
        .setProtectedHeader({ alg: ALGORITHM, kid: id, typ: 'JWT' })
        .setIssuer(issuer)
        // A key and the user of an access token can have the same name.
        .setSubject(isToken || user === userId ? (userId ?? '') : `key:${userId}`)
        .setAudience(audience)
        .setIssuedAt()
        .setJti(randomUUID())
        .setExpirationTime(new Date(expiresAt))
        .sign(key);
      return { token, expiresAt };
    },
    async keys() {
      const { public: own } = await open();
      return { keys: [own] };
    },
  };
}

interface SigningKey {
  readonly id: string;
  readonly key: Awaited<ReturnType<typeof importJWK>>;
  readonly public: JWK;
}

async function openKey(folder: string, file: SealedFile): Promise<SigningKey> {
  const known = readKey(file);
  if (known) return await importKey(known);
  createFolders(folder, 0o700);
  return await withFileLock(file.path, async () => {
    // Another manager may meanwhile have created it.
    const created = readKey(file);
    if (created) return await importKey(created);
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    const jwk = await exportJWK(privateKey);
    await writeSealed(file, jwk);
    return await importKey(jwk);
  });
}

function readKey(file: SealedFile): JWK | undefined {
  const opened = readSealed(file);
  if (opened === undefined) return undefined;
  if (opened !== 'damaged' && isObject(opened.value)) return opened.value;
  throw configError(
    `${file.path} cannot be decrypted: it is damaged, or was encrypted with another key. Delete it; servers then read the new key.`,
  );
}

async function importKey(jwk: JWK): Promise<SigningKey> {
  const { kty, crv, x, y } = jwk as Required<Pick<JWK, 'kty' | 'crv' | 'x' | 'y'>>;
  const own = { kty, crv, x, y };
  const id = await calculateJwkThumbprint(own);
  return {
    id,
    key: await importJWK(jwk, ALGORITHM),
    public: { ...own, kid: id, alg: ALGORITHM, use: 'sig' },
  };
}
