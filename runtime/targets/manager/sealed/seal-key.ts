import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { temporaryPath } from '#platform/files/temporary.ts';
import { explainWriteError } from '#platform/files/write-error.ts';

const KEY_VARIABLE = 'MCP_MANAGER_SIGN_IN_KEY';
const MIN_KEY_LENGTH = 32;
const KEY_BYTES = 32;

/**
 * Returns the key that encrypts sign-ins and secrets of users: the environment variable, or the file `key` in the
 * folder of the sign-ins, which is created with the first one. Only the owner can read the file; a key file that
 * others can read is rejected.
 */
export function sealKey(folder: string, env: Readonly<Record<string, string | undefined>>): string {
  const given = env[KEY_VARIABLE];
  if (given !== undefined && given !== '') return longEnough(given, KEY_VARIABLE);
  const file = join(folder, 'key');
  const known = readKey(file);
  if (known !== undefined) return known;
  createFolders(folder, 0o700);
  const temporary = temporaryPath(file);
  try {
    writeFileSync(temporary, `${randomBytes(KEY_BYTES).toString('base64url')}\n`, {
      flag: 'wx',
      mode: 0o600,
      flush: true,
    });
    // Unlike a rename, creating a link fails if another process has meanwhile created the key.
    linkSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw explainWriteError(file, error);
  } finally {
    rmSync(temporary, { force: true });
  }
  return readKey(file) ?? sealKey(folder, env);
}

function readKey(file: string): string | undefined {
  try {
    const { mode } = statSync(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw configError(
        `${file} contains the encryption key of sign-ins and users' secrets and is readable by other users. Restrict it with \`chmod 600 ${file}\`.`,
      );
    }
    return longEnough(readFileSync(file, 'utf8').trim(), file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) === undefined) throw error;
    throw configError(`Cannot read ${file}: ${messageOf(error)}.`, error);
  }
}

function longEnough(key: string, source: string): string {
  if (key.length >= MIN_KEY_LENGTH) return key;
  throw configError(
    `${source}: the encryption key of sign-ins and users' secrets must have at least ${MIN_KEY_LENGTH} characters. Create one with \`openssl rand -base64 32\`.`,
  );
}
