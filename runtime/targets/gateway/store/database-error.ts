import { AppError, configError, messageOf } from '../../../contract/errors.ts';

/** What a database said, as a sentence for whoever runs the gateway. */
export function explainOpenError(error: unknown, shown: string): AppError {
  if (error instanceof AppError) return error;
  const reason = SQLITE_REASONS[primaryCode(error)] ?? POSTGRES_REASONS[codeOf(error)];
  return configError(`Cannot use the database (${shown}): ${reason ?? `${messageOf(error)}.`}`, error);
}

/** For what fails while the gateway runs: whoever asked can only try again. */
export const databaseUnavailable = (error?: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('UnavailableError', `${unavailableBecause(error)}; please retry.`, {
        cause: error,
        reason: 'database_unavailable',
      });

function unavailableBecause(error: unknown): string {
  if ((error as { errcode?: unknown } | undefined)?.errcode === OWNED_BY_OTHER) {
    return 'Another gateway has the database to itself and does not answer; after 30 s it counts as dead';
  }
  if (isContention(error)) return 'Another program keeps the database locked';
  return 'The database cannot be used at the moment';
}

/** Another transaction was in the way; the same thing may work at once. */
export function isContention(error: unknown): boolean {
  return (
    [SQLITE_BUSY, SQLITE_LOCKED].includes(primaryCode(error)) || ['40001', '40P01'].includes(codeOf(error))
  );
}

/** As SQLite says it, for locks of our own. */
export const lockedByOther = (): Error =>
  Object.assign(new Error('Another process has the ledger to itself.'), { errcode: OWNED_BY_OTHER });

/** One of the rows cannot be stored, whoever tries: text that is no text, a number out of range, a second row of one id. */
export function isBadData(error: unknown): boolean {
  return primaryCode(error) === SQLITE_CONSTRAINT || /^(22|23|ERR_INVALID_ARG_VALUE$)/.test(codeOf(error));
}

/** Undefined for what no database said. For where errors end that nobody knew. */
export const databaseFailure = (error: unknown): AppError | undefined =>
  codeOf(error) === 'ERR_SQLITE_ERROR' || POSTGRES_IS_GONE.test(`${codeOf(error)} ${messageOf(error)}`)
    ? databaseUnavailable(error)
    : undefined;

/** It is not reached, is stopping or starting, has no room, or hung up: of that, its client tells some only in words. */
const POSTGRES_IS_GONE =
  /^(?:E[A-Z_]+|08...|25006|53...|57...|58...) |^ (?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

const SQLITE_BUSY = 5;
/** SQLite has no such reason for being busy. */
const OWNED_BY_OTHER = SQLITE_BUSY | (0xff << 8);
const SQLITE_LOCKED = 6;
const SQLITE_CONSTRAINT = 19;

const SQLITE_REASONS: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: 'another program keeps the file locked. End it, or wait until it is done.',
  [SQLITE_LOCKED]: 'another program keeps the file locked. End it, or wait until it is done.',
  8: 'the file may not be written. Change its permissions and those of its folder, or choose another data folder.',
  10: 'the disk reports an error. Look at its health, and restore the file from a backup.',
  11: 'the file is damaged. Restore it from a backup, or choose another data folder.',
  13: 'the disk is full. Free some space.',
  14: 'the file cannot be opened. Its folder must exist and be writable.',
  26: 'the file is not a SQLite database. Choose another file or data folder.',
};

const POSTGRES_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Start PostgreSQL, or correct host and port.',
  ENOENT: 'there is no socket there. Start PostgreSQL, or correct the host.',
  ENOTFOUND: 'there is no such host. Correct the host in the URL.',
  EAI_AGAIN: 'the name of the host cannot be resolved now. Correct the host, or look at the network.',
  ETIMEDOUT: 'it does not answer. Correct host and port, or look at the network.',
  '28P01': 'it refuses user and password. Correct them in the URL.',
  '28000': 'it does not let this user in. Correct the user in the URL, or its `pg_hba.conf`.',
  '3D000': 'there is no database of that name. Create it with `createdb`, or correct the name.',
  '42501': 'the user may not do that there. Grant it the right to create tables in the schema.',
  '53300': 'it has no connection left. Raise its `max_connections`, or run fewer programs on it.',
  '25006': 'it is read-only. Connect to the primary server.',
};

/** SQLite's extended codes hold the primary one in their lowest byte. */
function primaryCode(error: unknown): number {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : 0;
}

function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: readonly unknown[] };
  // Where a host has several addresses, all of their failures come in one.
  return typeof code === 'string' ? code : errors?.[0] ? codeOf(errors[0]) : '';
}
