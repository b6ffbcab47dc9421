import { appendFileSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { configError, inputError } from '../../../contract/errors.ts';
import { explainWriteError } from '../../../platform/files/write-error.ts';
import { createFolders } from '../../../platform/files/create-folders.ts';
import { withFileLock } from '../../../platform/files/file-lock.ts';
import { writeText } from '../../../platform/files/write-text.ts';
import { keyFileText, readKeyFile } from './key-file.ts';
import { type KeyRecord, stateOf } from './key-record.ts';

/** For its owner only, as is the folder if it is made for it. */
const MODE = 0o600;

/** Adds a key at the end of the file, which is made if there is none. */
export async function addKey(file: string, record: KeyRecord, now: number): Promise<void> {
  createFolders(dirname(file), 0o700);
  await withFileLock(file, () => Promise.resolve(append(file, record, now)));
}

/** Marks a key as revoked. It stays in the file, so that a server with no other keys is not open to all. */
export async function revokeKey(file: string, nameOrId: string, now: number): Promise<KeyRecord> {
  // Where there is no file, there may be no folder for a lock either.
  find(readKeyFile(file) ?? [], nameOrId, file);
  return await withFileLock(file, () => revoke(file, nameOrId, now));
}

function append(file: string, record: KeyRecord, now: number): void {
  const known = readKeyFile(file) ?? [];
  if (known.some((one) => one.name === record.name && stateOf(one, now) === 'active')) {
    throw configError(
      `There is a key of the name ${JSON.stringify(record.name)} already; revoke it first, or choose another name.`,
    );
  }
  try {
    const gap = known.length > 0 && !readFileSync(file, 'utf8').endsWith('\n') ? '\n' : '';
    appendFileSync(file, gap + keyFileText([record]), { mode: MODE });
  } catch (error) {
    throw explainWriteError(file, error);
  }
}

async function revoke(file: string, nameOrId: string, now: number): Promise<KeyRecord> {
  const known = readKeyFile(file) ?? [];
  const record = find(known, nameOrId, file);
  const revoked = { ...record, revoked: new Date(now).toISOString() };
  const text = keyFileText(known.map((one) => (one === record ? revoked : one)));
  await writeText(file, text, { mode: MODE });
  return revoked;
}

function find(known: readonly KeyRecord[], nameOrId: string, file: string): KeyRecord {
  const meant = known.filter(
    ({ id, name, revoked }) => revoked === undefined && (id === nameOrId || name === nameOrId),
  );
  const [record, other] = meant;
  if (!record) {
    const names = known.filter(({ revoked }) => revoked === undefined).map(({ name }) => name);
    throw inputError(
      `No key ${JSON.stringify(nameOrId)} is in ${file}. ${names.length === 0 ? 'There is none at all.' : `There are ${names.join(', ')}.`}`,
    );
  }
  if (other) {
    const ids = meant.map(({ id }) => id);
    throw inputError(
      `Several keys have the name ${JSON.stringify(nameOrId)}; say which one: ${ids.join(', ')}.`,
    );
  }
  return record;
}
