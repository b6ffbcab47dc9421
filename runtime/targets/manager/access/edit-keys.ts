import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { configError, inputError } from '../../../contract/errors.ts';
import { explainWriteError } from '../../../core/write-error.ts';
import { writeFileAtomically } from '../../../platform/write-file.ts';
import { keyFileText, readKeyFile } from './key-file.ts';
import { type KeyRecord, stateOf } from './key-record.ts';

/** For its owner only, as is the folder if it is made for it. */
const MODE = 0o600;

/** Adds a key at the end of the file, which is made if there is none. */
export function addKey(file: string, record: KeyRecord, now: number): void {
  const known = readKeyFile(file) ?? [];
  if (known.some((one) => one.name === record.name && stateOf(one, now) === 'active')) {
    throw configError(
      `There is a key of the name ${JSON.stringify(record.name)} already; revoke it first, or choose another name.`,
    );
  }
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const gap = known.length > 0 && !readFileSync(file, 'utf8').endsWith('\n') ? '\n' : '';
    appendFileSync(file, gap + keyFileText([record]), { mode: MODE });
  } catch (error) {
    throw explainWriteError(file, error);
  }
}

/** Marks a key as revoked. It stays in the file, so that a server with no other keys is not open to all. */
export function revokeKey(file: string, nameOrId: string, now: number): KeyRecord {
  const known = readKeyFile(file) ?? [];
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
  const revoked = { ...record, revoked: new Date(now).toISOString() };
  writeFileAtomically(file, keyFileText(known.map((one) => (one === record ? revoked : one))), MODE);
  return revoked;
}
