import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { type Static, Type } from 'typebox';
import { configError, inputError } from '#contract/errors.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import { fileState } from '#platform/file-state.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { withFileLock } from '#platform/files/file-lock.ts';
import { sha256 } from '#platform/sha256.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { isSecretReference, SECRET_NAME_RULE } from '../config/user-references.ts';
import { sealKey } from '../sealed/seal-key.ts';
import { readSealed, type SealedFile, writeSealed } from '../sealed/sealed-file.ts';
import { signInFolder } from '../sign-in/sign-in-folder.ts';

/** The secrets of users, in one encrypted file per user. */
export interface UserSecrets {
  /** A text that changes whenever the user's secrets change, also in another process. */
  stateOf(user: string): string;
  /** Returns a secret. Throws a ConfigError if the user's file cannot be decrypted. */
  value(user: string, name: string): string | undefined;
  /** Returns the names of the user's secrets, with the times of their last changes. */
  list(user: string): ReadonlyMap<string, string>;
  /** Adds or replaces secrets. Throws an InputError if one is invalid. */
  set(user: string, secrets: Readonly<Record<string, string>>): Promise<void>;
  /** Removes a secret, or all secrets. Returns the number of removed secrets. */
  remove(user: string, name?: string): Promise<number>;
}

const secretsFile = Type.Object({
  secrets: Type.Record(Type.String(), Type.Object({ value: Type.String(), changed: Type.String() })),
});
type SecretsOfUser = Static<typeof secretsFile>['secrets'];
const isSecretsFile = new Ajv(TRUSTED_SCHEMAS).compile<Static<typeof secretsFile>>(secretsFile);

/** Limits for the files and the memory that one user can occupy. */
export const MAX_SECRET_LENGTH = 16_384;
const MAX_SECRETS = 100;

/** Maximum number of users whose decrypted secrets are kept. */
const MAX_OPEN = 1000;

/** Returns the folder, next to the secrets file. */
const userSecretsFolder = ({ runtime }: ConfigPaths): string => join(dirname(runtime), 'user-secrets');

/** Opens the secrets of users. Nothing is created before the first one is set. */
export function openUserSecrets(
  paths: ConfigPaths,
  env: Readonly<Record<string, string | undefined>>,
): UserSecrets {
  const folder = userSecretsFolder(paths);
  const open = new Map<string, { readonly state: string; readonly secrets: SecretsOfUser }>();
  const pathOf = (user: string): string => join(folder, `${sha256(user).slice(0, 32)}.json`);
  const fileOf = (user: string): SealedFile => ({
    path: pathOf(user),
    // The user is part of the purpose, so that a copied file cannot give one user another's secrets.
    purpose: `secrets of ${user}`,
    key: () => sealKey(signInFolder(paths), env),
  });
  const load = (user: string): SecretsOfUser => {
    const file = fileOf(user);
    const opened = readSealed(file);
    if (opened === undefined) return {};
    if (opened !== 'damaged' && isSecretsFile(opened.value)) return opened.value.secrets;
    throw configError(
      `${file.path} cannot be decrypted: it is damaged, or was encrypted with another key. Delete it and set the secrets again.`,
    );
  };
  const read = (user: string): SecretsOfUser => {
    const state = fileState(pathOf(user));
    const known = open.get(user);
    if (known?.state === state) return known.secrets;
    const secrets = load(user);
    const [oldest] = open.keys();
    if (oldest !== undefined && open.size >= MAX_OPEN) open.delete(oldest);
    open.set(user, { state, secrets });
    return secrets;
  };
  const change = async (user: string, next: (secrets: SecretsOfUser) => SecretsOfUser): Promise<void> => {
    createFolders(folder, 0o700);
    await withFileLock(pathOf(user), async () => {
      const secrets = next(load(user));
      await writeSealed(fileOf(user), Object.keys(secrets).length === 0 ? undefined : { secrets });
    });
  };

  return {
    stateOf: (user) => fileState(pathOf(user)),
    value(user, name) {
      const secrets = read(user);
      return Object.hasOwn(secrets, name) ? secrets[name]?.value : undefined;
    },
    list: (user) => new Map(Object.entries(read(user)).map(([name, { changed }]) => [name, changed])),
    async set(user, added) {
      for (const [name, value] of Object.entries(added)) requireValid(name, value);
      await change(user, (secrets) => {
        const changed = new Date().toISOString();
        const entries = Object.entries(added).map(([name, value]) => [name, { value, changed }] as const);
        const all = { ...secrets, ...Object.fromEntries(entries) };
        if (Object.keys(all).length <= MAX_SECRETS) return all;
        throw inputError(`A user can have at most ${MAX_SECRETS} secrets. Remove those that are not used.`);
      });
    },
    async remove(user, name) {
      if (fileState(pathOf(user)) === 'ENOENT') return 0;
      let removed = 0;
      await change(user, (secrets) => {
        const rest = Object.entries(secrets).filter(([other]) => name !== undefined && other !== name);
        removed = Object.keys(secrets).length - rest.length;
        return Object.fromEntries(rest);
      });
      open.delete(user);
      return removed;
    },
  };
}

function requireValid(name: string, value: string): void {
  if (!isSecretReference(name)) {
    throw inputError(
      `Invalid secret name ${JSON.stringify(name.slice(0, 100))}. It must consist of ${SECRET_NAME_RULE}.`,
    );
  }
  if (value === '') throw inputError(`The value of ${name} is empty. Enter one, or remove the secret.`);
  if (value.includes('\0')) throw inputError(`The value of ${name} contains a NUL character. Remove it.`);
  if (value.length > MAX_SECRET_LENGTH) {
    throw inputError(`The value of ${name} is longer than ${MAX_SECRET_LENGTH} characters. Shorten it.`);
  }
}
