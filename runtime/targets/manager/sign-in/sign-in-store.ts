import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, linkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { configError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import type { Secret } from '#core/text/redactions.ts';
import { errorCode } from '#core/values/error-code.ts';
import { fileState } from '#platform/file-state.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { withFileLock } from '#platform/files/file-lock.ts';
import { writeText } from '#platform/files/write-text.ts';
import { createSeal } from '#platform/seal.ts';
import { sha256 } from '#platform/sha256.ts';
import { changesFile } from './sign-in-folder.ts';
import { type SignInRecord, signInRecord } from './sign-in-record.ts';
import { temporaryPath } from '#platform/files/temporary.ts';
import { explainWriteError } from '#platform/files/write-error.ts';

/**
 * The server that a sign-in belongs to. A server with another URL counts as another server, regardless of its
 * name.
 */
export interface SignInTarget {
  readonly server: string;
  readonly url: string;
  /** Identifies the user, for servers with one sign-in per user. */
  readonly user?: string | undefined;
}

export type SignInState = 'signed-in' | 'required';

export interface SignInStore {
  /**
   * Returns the current sign-in, rereading the file when it changes. Throws a ConfigError if it cannot be
   * decrypted.
   */
  read(target: SignInTarget): SignInRecord | undefined;
  /**
   * Replaces a sign-in while no other process is working on it. `change` receives the current one and returns
   * the new one, or undefined to delete it.
   */
  update(
    target: SignInTarget,
    change: (current: SignInRecord | undefined) => Promise<SignInRecord | undefined>,
  ): Promise<SignInRecord | undefined>;
  /** Remembers in this process that a server requires a user sign-in. */
  require(target: SignInTarget): void;
  /** Undefined if the server has not required a sign-in. */
  stateOf(target: SignInTarget): SignInState | undefined;
  /** Redacts a token in logs and errors. */
  hide(token: string, server: string): void;
  /** Makes running managers apply changes made by `login` and `logout`. */
  announce(): Promise<void>;
}

export interface SignInStoreOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives the tokens, so that they can be redacted in logs and errors. */
  readonly onSecret?: ((secret: Secret) => void) | undefined;
}

const isRecord = new Ajv(TRUSTED_SCHEMAS).compile<SignInRecord>(signInRecord);
const sealedFile = Type.Object({ salt: Type.String(), sealed: Type.String() });
const isSealed = new Ajv(TRUSTED_SCHEMAS).compile<{ readonly salt: string; readonly sealed: string }>(
  sealedFile,
);

const SALT_BYTES = 16;
/** Longer than a token request takes, because the lock is held during the request. */
const LOCK_PATIENCE_MS = 60_000;

/** Opens the sign-ins in a folder: one encrypted file per server. Nothing is created before the first sign-in. */
export function openSignIns(folder: string, { env, onSecret }: SignInStoreOptions): SignInStore {
  const seen = new Map<string, { readonly state: string; readonly record: SignInRecord | undefined }>();
  const pathOf = ({ server, url, user }: SignInTarget): string => {
    const ofUser = user === undefined ? '' : `-${sha256(user).slice(0, 32)}`;
    return join(folder, `${server}-${sha256(url).slice(0, 12)}${ofUser}.json`);
  };
  /**
   * The purpose binds the ciphertext to its server and user, so that a copied file cannot give one user
   * another's token.
   */
  const sealOf = ({ server, url, user }: SignInTarget, salt: string) => {
    const ofUser = user === undefined ? '' : ` of ${user}`;
    const purpose = `sign-in to ${server} at ${url}${ofUser}`;
    return createSeal(sealKey(folder, env), Buffer.from(salt, 'base64url'), purpose);
  };

  const hide = (value: string, server: string): void => onSecret?.({ value, isNamed: true, owner: server });
  const load = (target: SignInTarget): SignInRecord | undefined => {
    const path = pathOf(target);
    const text = readIfExists(path);
    if (text === undefined) return undefined;
    const file = parsed(text);
    const opened = isSealed(file)
      ? sealOf(target, file.salt).open(Buffer.from(file.sealed, 'base64url'))
      : undefined;
    const record = opened === undefined ? undefined : parsed(opened);
    if (isRecord(record)) {
      const secrets = [record.tokens?.access, record.tokens?.refresh, record.client.secret, record.dpopKey];
      for (const secret of secrets) if (secret !== undefined) hide(secret, target.server);
      return record;
    }
    throw configError(
      `${path} cannot be decrypted: it is damaged, or was encrypted with another key. Delete it and run \`mcp-manager login ${target.server}\`.`,
    );
  };
  const read = (target: SignInTarget): SignInRecord | undefined => {
    const path = pathOf(target);
    const state = fileState(path);
    const known = seen.get(path);
    if (known?.state === state) return known.record;
    const record = load(target);
    seen.set(path, { state, record });
    return record;
  };
  const write = async (target: SignInTarget, record: SignInRecord | undefined): Promise<void> => {
    const path = pathOf(target);
    if (record === undefined) {
      rmSync(path, { force: true });
      return;
    }
    const salt = randomBytes(SALT_BYTES).toString('base64url');
    const sealed = Buffer.from(sealOf(target, salt).close(JSON.stringify(record))).toString('base64url');
    await writeText(path, `${JSON.stringify({ salt, sealed })}\n`, { mode: 0o600 });
  };

  const required = new Set<string>();
  const isSignedIn = (target: SignInTarget): boolean => {
    try {
      return read(target)?.tokens !== undefined;
    } catch {
      return false;
    }
  };

  return {
    read,
    hide,
    require: (target) => void required.add(pathOf(target)),
    stateOf(target) {
      if (isSignedIn(target)) return 'signed-in';
      return required.has(pathOf(target)) ? 'required' : undefined;
    },
    async update(target, change) {
      createFolders(folder, 0o700);
      return await withFileLock(
        pathOf(target),
        async () => {
          const current = load(target);
          const next = await change(current);
          if (next !== current) await write(target, next);
          read(target);
          return next;
        },
        LOCK_PATIENCE_MS,
      );
    },
    async announce() {
      createFolders(folder, 0o700);
      await writeText(
        changesFile(folder),
        `${new Date().toISOString()} ${randomBytes(4).toString('hex')}\n`,
        {
          mode: 0o600,
        },
      );
    },
  };
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

const KEY_VARIABLE = 'MCP_MANAGER_SIGN_IN_KEY';
const MIN_KEY_LENGTH = 32;
const KEY_BYTES = 32;

/**
 * Returns the key that encrypts the sign-ins: the environment variable, or the file `key` in their folder,
 * which is created with the first sign-in. Only the owner can read the file; a key file that others can read
 * is rejected.
 */
function sealKey(folder: string, env: Readonly<Record<string, string | undefined>>): string {
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
        `${file} contains the encryption key of the sign-ins and is readable by other users. Restrict it with \`chmod 600 ${file}\`.`,
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
    `${source}: the encryption key of the sign-ins must have at least ${MIN_KEY_LENGTH} characters. Create one with \`openssl rand -base64 32\`.`,
  );
}
