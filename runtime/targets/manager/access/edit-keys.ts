import { appendFileSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { configError, inputError } from '#contract/errors.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { withFileLock } from '#platform/files/file-lock.ts';
import { writeText } from '#platform/files/write-text.ts';
import { keyFileText, readKeyFile } from './key-file.ts';
import { type KeyRecord, stateOf } from './key-record.ts';

/** Mode of the file, which only its owner can read. A folder that is created for it has the same restriction. */
const MODE = 0o600;

/** Appends a key to the file, which is created if missing. */
export async function addKey(file: string, record: KeyRecord, now: number): Promise<void> {
  createFolders(dirname(file), 0o700);
  await withFileLock(file, () => Promise.resolve(append(file, record, now)));
}

/** Marks a key as revoked. It stays in the file, because a manager without any keys is open to all clients. */
export async function revokeKey(file: string, nameOrId: string, now: number): Promise<KeyRecord> {
  // Checked before the lock, because without a file its folder may not exist either.
  find(readKeyFile(file) ?? [], nameOrId, file);
  return await withFileLock(file, () => revoke(file, nameOrId, now));
}

function append(file: string, record: KeyRecord, now: number): void {
  const known = readKeyFile(file) ?? [];
  if (known.some((one) => one.name === record.name && stateOf(one, now) === 'active')) {
    throw configError(
      `A key named ${JSON.stringify(record.name)} already exists. Revoke it first, or choose another name.`,
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
  const matches = known.filter(
    ({ id, name, revoked }) => revoked === undefined && (id === nameOrId || name === nameOrId),
  );
  const [record, other] = matches;
  if (!record) {
    const names = known.filter(({ revoked }) => revoked === undefined).map(({ name }) => name);
    throw inputError(
      `${file} contains no active key ${JSON.stringify(nameOrId)}. ${names.length === 0 ? 'It has no active keys.' : `Active keys: ${names.join(', ')}.`}`,
    );
  }
  if (other) {
    const ids = matches.map(({ id }) => id);
    throw inputError(`Several keys are named ${JSON.stringify(nameOrId)}. Use an ID: ${ids.join(', ')}.`);
  }
  return record;
}
