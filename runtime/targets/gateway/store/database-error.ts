import { lookup } from '#core/values/lookup.ts';
import { AppError, configError, messageOf } from '#contract/errors.ts';
import { memberOf } from '#core/values/member-of.ts';

/** Explains a database error to the operator. */
export function explainOpenError(error: unknown, shown: string): AppError {
  if (error instanceof AppError) return error;
  const reason = SQLITE_REASONS[primaryCode(error)] ?? POSTGRES_REASONS[codeOf(error)];
  return configError(`Cannot use the database (${shown}): ${reason ?? `${messageOf(error)}.`}`, error);
}

/** Creates an error for clients, which can only retry. The cause has the details. */
export const databaseUnavailable = (error?: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('UnavailableError', `${unavailableReason(error)}. Please retry.`, {
        cause: error,
        reason: 'database_unavailable',
      });

function unavailableReason(error: unknown): string {
  if (memberOf(error, 'errcode') === OWNED_BY_OTHER) {
    return 'Another gateway has exclusive access to the database and does not respond; after 30 s it is considered dead';
  }
  if (isContention(error)) return 'The database is locked by another program';
  return 'The database is temporarily unavailable';
}

/** Whether another transaction caused the error, so that an immediate retry can succeed. */
export function isContention(error: unknown): boolean {
  return (
    [SQLITE_BUSY, SQLITE_LOCKED].includes(primaryCode(error)) || ['40001', '40P01'].includes(codeOf(error))
  );
}

/** Error for the program's own lock, in the format of SQLite errors. */
export const ledgerLockedError = (): Error =>
  Object.assign(new Error('Another process has exclusive access to the ledger.'), {
    errcode: OWNED_BY_OTHER,
  });

/** Whether a row can never be stored, for example because of invalid text, a number out of range or a duplicate ID. */
export function isBadData(error: unknown): boolean {
  return primaryCode(error) === SQLITE_CONSTRAINT || /^(22|23|ERR_INVALID_ARG_VALUE$)/.test(codeOf(error));
}

/** Returns an error for clients if the database caused the error; otherwise undefined. For unexpected errors. */
export function databaseFailure(error: unknown): AppError | undefined {
  const code = codeOf(error);
  const isOurs = code === 'ERR_SQLITE_ERROR' || CLOSED.test(messageOf(error));
  const isGone = POSTGRES_IS_GONE.test(code) || isUnreachable(error, code);
  return isOurs || isGone ? databaseUnavailable(error) : undefined;
}

/** Errors of a PostgreSQL server that is starting, stopping or full. */
const POSTGRES_IS_GONE = /^(?:08...|25006|53...|57...|58...)$/;

/** Errors about closed connections and files, which have no code of their own. */
const CLOSED =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|database is not open)/;

/**
 * Connection errors. Codes such as ERR_INVALID_URL are programming mistakes, and ENOENT also means a missing
 * file: retrying does not help there.
 */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);
const isUnreachable = (error: unknown, code: string): boolean =>
  UNREACHABLE.has(code) || (code.startsWith('E') && syscallOf(error) === 'connect');

function syscallOf(error: unknown): unknown {
  const errors = memberOf(error, 'errors');
  return Array.isArray(errors) ? memberOf(errors[0], 'syscall') : memberOf(error, 'syscall');
}

const SQLITE_BUSY = 5;
/** An extended SQLITE_BUSY code that SQLite itself does not use. */
const OWNED_BY_OTHER = SQLITE_BUSY | (0xff << 8);
const SQLITE_LOCKED = 6;
const SQLITE_CONSTRAINT = 19;

const SQLITE_REASONS: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: 'the file is locked by another program. Stop it, or wait until it finishes.',
  [SQLITE_LOCKED]: 'the file is locked by another program. Stop it, or wait until it finishes.',
  8: 'the file is not writable. Change its permissions and those of its folder, or choose another data folder.',
  10: 'the disk reports an error. Check the disk, and restore the file from a backup.',
  11: 'the file is damaged. Restore it from a backup, or choose another data folder.',
  13: 'the disk is full. Free some space.',
  14: 'the file cannot be opened. Its folder must exist and be writable.',
  26: 'the file is not a SQLite database. Choose another file or data folder.',
};

const POSTGRES_REASONS = lookup<string>({
  ECONNREFUSED: 'connection refused. Start PostgreSQL, or correct the host and port.',
  ENOENT: 'the socket does not exist. Start PostgreSQL, or correct the host.',
  ENOTFOUND: 'the host name does not exist. Correct it in the URL.',
  EAI_AGAIN: 'the host name cannot be resolved. Correct it, or check the network.',
  ETIMEDOUT: 'connection timed out. Correct the host and port, or check the network.',
  '28P01': 'wrong user or password. Correct them in the URL.',
  '28000': 'the server rejects this user. Correct the user in the URL, or the server’s `pg_hba.conf`.',
  '3D000': 'the database does not exist. Create it with `createdb`, or correct its name.',
  '42501': 'permission denied. Grant the user permission to create tables in the schema.',
  '53300': 'too many connections. Increase the server’s `max_connections`, or run fewer clients.',
  '25006': 'the server is read-only. Connect to the primary server.',
});

/** Returns the primary code, which is the lowest byte of SQLite's extended codes. */
function primaryCode(error: unknown): number {
  const errcode = memberOf(error, 'errcode');
  return typeof errcode === 'number' ? errcode & 0xff : 0;
}

function codeOf(error: unknown): string {
  const code = memberOf(error, 'code');
  const errors = memberOf(error, 'errors');
  // For a host with several addresses, the error contains one error per address.
  if (typeof code === 'string') return code;
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : '';
}
