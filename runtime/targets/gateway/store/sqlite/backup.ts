import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { configError } from '#contract/errors.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { temporaryPath } from '#platform/files/temporary.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { NEWEST_VERSION } from '../migrate.ts';
import { versionProblem } from '../migrations.ts';
import { LASTING } from '../account-ids.ts';

/** How long a statement waits for a running gateway's lock. */
const BUSY_TIMEOUT_MS = 5000;
/** A gateway that gives no sign of life for this long is dead. */
const DEAD_AFTER_MS = 30_000;

/**
 * Writes a consistent copy of a database, which gateways can use meanwhile. Reservations of running requests
 * are excluded: no process would ever release them.
 */
export function backUpSqlite(database: string, file: string): void {
  const temporary = temporaryPath(file);
  try {
    createOwn(temporary);
    const source = new DatabaseSync(database, { timeout: BUSY_TIMEOUT_MS });
    try {
      source.prepare('vacuum into ?').run(temporary);
    } finally {
      source.close();
    }
    const copy = new DatabaseSync(temporary);
    try {
      copy.exec(`
        delete from gateway_reservations where process_id <> '${LASTING}';
        update gateway_accounts set running = 0, reserved_nano = (
          select coalesce(sum(amount_nano), 0) from gateway_reservations held
          where gateway_accounts.id in ('user:' || held.user_id, 'key:' || held.key_id));
        delete from gateway_processes;
        update gateway_meta set ledger_owner = null;`);
      requireIntact(copy, file);
    } finally {
      copy.close();
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw explainWriteError(file, error);
  }
}

/**
 * Replaces a database with a copy. An existing database is only replaced with `replace`, and is kept next to
 * it. Returns the path of the kept file. Throws a ConfigError if a gateway is using the database, or if the
 * file is not a copy of a gateway database.
 */
export async function restoreSqlite(
  file: string,
  database: string,
  replace: boolean,
): Promise<string | undefined> {
  requireBackup(file);
  const existing = existsSync(database);
  if (existing) {
    if (!replace)
      throw configError(
        `${database} already exists. Use --force to replace it; the old file is kept as ${database}.before-restore.`,
      );
    requireUnused(database);
  }
  createFolders(dirname(database), 0o700);
  const temporary = temporaryPath(database);
  const before = `${database}.before-restore`;
  try {
    createOwn(temporary);
    await copyFile(file, temporary);
    if (existing) renameSync(database, before);
    renameSync(temporary, database);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw explainWriteError(database, error);
  }
  return existing ? before : undefined;
}

/** Creates an empty file with owner-only permissions, like the database itself. */
const createOwn = (path: string): void => closeSync(openSync(path, 'wx', 0o600));

function requireBackup(file: string): void {
  if (!existsSync(file)) throw configError(`${file} does not exist. Create it with \`gateway backup\`.`);
  let version: unknown;
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    requireIntact(copy, file);
    version = copy.prepare('select schema_version from gateway_meta').get()?.['schema_version'];
  } catch (error) {
    throw configError(
      `${file} is not a gateway database backup. Use a file created by \`gateway backup\`.`,
      error,
    );
  } finally {
    copy.close();
  }
  const unusable = typeof version === 'number' ? versionProblem(version, NEWEST_VERSION) : undefined;
  if (unusable) throw configError(`${file} ${unusable.problem}. ${unusable.remedy}`);
}

function requireIntact(database: DatabaseSync, file: string): void {
  const found = Object.values(database.prepare('pragma quick_check(1)').get() ?? {})[0];
  if (found !== 'ok') throw new Error(`${file} is damaged: ${String(found)}`);
}

/**
 * Throws if a gateway is using a database. Otherwise, all of its data is in its file afterwards, not in the
 * write-ahead log next to it.
 */
function requireUnused(path: string): void {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    const tables = database.prepare("select 1 from sqlite_schema where name = 'gateway_processes'").get();
    const alive = 'select count(*) as alive from gateway_processes where seen_at > ?';
    const count = tables ? database.prepare(alive).get(Date.now() - DEAD_AFTER_MS)?.['alive'] : 0;
    if (count !== 0)
      throw configError(`A gateway is using ${path}. Stop it first; if it was killed, wait 30 seconds.`);
    database.exec('pragma wal_checkpoint(truncate); pragma journal_mode = delete');
  } finally {
    database.close();
  }
}
