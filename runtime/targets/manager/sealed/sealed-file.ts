import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { parseJsonText } from '#core/json/json-text.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import { errorCode } from '#core/values/error-code.ts';
import { writeText } from '#platform/files/write-text.ts';
import { createSeal } from '#platform/seal.ts';

/** An encrypted JSON file. */
export interface SealedFile {
  readonly path: string;
  /** Binds the ciphertext to its owner, so that a copied file cannot give its contents to another. */
  readonly purpose: string;
  /** Returns the key, which is created if missing. */
  readonly key: () => string;
}

const sealedFile = Type.Object({ salt: Type.String(), sealed: Type.String() });
const isSealed = new Ajv(TRUSTED_SCHEMAS).compile<{ readonly salt: string; readonly sealed: string }>(
  sealedFile,
);

const SALT_BYTES = 16;

/** Returns the contents: undefined if the file does not exist, `damaged` if it cannot be decrypted. */
export function readSealed({
  path,
  purpose,
  key,
}: SealedFile): { readonly value: unknown } | 'damaged' | undefined {
  const text = readIfExists(path);
  if (text === undefined) return undefined;
  const file = parsed(text);
  if (!isSealed(file)) return 'damaged';
  const seal = createSeal(key(), Buffer.from(file.salt, 'base64url'), purpose);
  const opened = seal.open(Buffer.from(file.sealed, 'base64url'));
  return opened === undefined ? 'damaged' : { value: parsed(opened) };
}

/** Replaces the file, or deletes it if the value is undefined. */
export async function writeSealed({ path, purpose, key }: SealedFile, value: unknown): Promise<void> {
  if (value === undefined) {
    rmSync(path, { force: true });
    return;
  }
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  const seal = createSeal(key(), Buffer.from(salt, 'base64url'), purpose);
  const sealed = Buffer.from(seal.close(JSON.stringify(value))).toString('base64url');
  await writeText(path, `${JSON.stringify({ salt, sealed })}\n`, { mode: 0o600 });
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}
