import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { configError } from '#contract/errors.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import type { Secret } from '#core/text/redactions.ts';
import { fileState } from '#platform/file-state.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { withFileLock } from '#platform/files/file-lock.ts';
import { writeText } from '#platform/files/write-text.ts';
import { sha256 } from '#platform/sha256.ts';
import { changesFile } from './sign-in-folder.ts';
import { type SignInRecord, signInRecord } from './sign-in-record.ts';
import { sealKey } from '../sealed/seal-key.ts';
import { readSealed, type SealedFile, writeSealed } from '../sealed/sealed-file.ts';

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
  /** Deletes all sign-ins of a user, including those to servers that are no longer configured. Returns their number. */
  removeAll(user: string): number;
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
/** Longer than a token request takes, because the lock is held during the request. */
const LOCK_PATIENCE_MS = 60_000;

/** Opens the sign-ins in a folder: one encrypted file per server. Nothing is created before the first sign-in. */
export function openSignIns(folder: string, { env, onSecret }: SignInStoreOptions): SignInStore {
  const seen = new Map<string, { readonly state: string; readonly record: SignInRecord | undefined }>();
  const pathOf = ({ server, url, user }: SignInTarget): string => {
    const ofUser = user === undefined ? '.json' : endingOf(user);
    return join(folder, `${server}-${sha256(url).slice(0, 12)}${ofUser}`);
  };
  const fileOf = (target: SignInTarget): SealedFile => {
    const { server, url, user } = target;
    const ofUser = user === undefined ? '' : ` of ${user}`;
    const purpose = `sign-in to ${server} at ${url}${ofUser}`;
    return { path: pathOf(target), purpose, key: () => sealKey(folder, env) };
  };

  const hide = (value: string, server: string): void => onSecret?.({ value, isNamed: true, owner: server });
  const load = (target: SignInTarget): SignInRecord | undefined => {
    const path = pathOf(target);
    const opened = readSealed(fileOf(target));
    if (opened === undefined) return undefined;
    const record = opened === 'damaged' ? undefined : opened.value;
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
    removeAll(user) {
      const files = filesIn(folder).filter((name) => name.endsWith(endingOf(user)));
      for (const name of files) rmSync(join(folder, name), { force: true });
      return files.length;
    },
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
          if (next !== current) await writeSealed(fileOf(target), next);
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

/** The end of the names of a user's files. */
const endingOf = (user: string): string => `-${sha256(user).slice(0, 32)}.json`;

/** The names of the files in a folder; none if it does not exist. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
