import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { AppError, configError } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { memberOf } from '#core/values/member-of.ts';
import { systemClock } from '#platform/clock.ts';
import type { Invocation } from '#serve/cli/command.ts';
import { type Administration, openAdministration } from '../../gateway-state.ts';
import type { Actor } from '../../store/audit/audit-trail.ts';
import { explainOpenError } from '../../store/database-error.ts';
import { type DatabaseLocation, locationText } from '../../store/database-url.ts';
import { openStore } from '../../store/open-store.ts';
import { readStoreConfig, type StoreConfig, type StoreNeeds } from './read-store-config.ts';

/** The operating system user who runs a command. A user ID in a container may have no name. */
export function localActor(): Actor {
  try {
    return { kind: 'cli', id: userInfo().username };
  } catch {
    return { kind: 'cli', id: `uid ${process.getuid?.() ?? 'unknown'}` };
  }
}

/**
 * Opens the database, calls `work` and closes the database. Does not create a missing database, because a
 * mistyped path would create an empty one. Does not migrate it either, because that could break a running
 * gateway of an older version.
 */
export async function withState<Result>(
  invocation: Invocation,
  work: (state: Administration, config: StoreConfig) => Promise<Result>,
  needs: StoreNeeds = {},
): Promise<Result> {
  const config = await readStoreConfig(invocation, needs);
  const { database: location } = config;
  refuseMissing(location);
  try {
    const { masterKey } = config;
    const store = await openStore(location, { autoMigrate: false });
    const state = openAdministration(store, { clock: systemClock, masterKey });
    try {
      return await state.audit.actingAs(localActor(), () => work(state, config));
    } finally {
      await state.close();
    }
  } catch (error) {
    throw explain(error, locationText(location));
  }
}

function refuseMissing(location: DatabaseLocation): void {
  if (location.kind !== 'sqlite') return;
  try {
    statSync(location.path);
    return;
  } catch (error) {
    const code = errorCode(error);
    // A file in an unreadable folder may exist.
    if (code === 'EACCES' || code === 'EPERM') {
      throw configError(
        `Cannot access ${location.path}: permission denied for its folder. Change the permissions, or run the command as the owner of the folder.`,
        error,
      );
    }
  }
  throw configError(
    `${location.path} does not exist. Create it with \`gateway migrate\`, or choose another database with -c or --database-url.`,
  );
}

/** Replaces errors for API clients with errors that include the database details, for the operator. */
function explain(error: unknown, shown: string): unknown {
  if (error instanceof AppError) {
    return error.reason === 'database_unavailable' ? explainOpenError(error.cause, shown) : asSentence(error);
  }
  return isDatabaseError(error) ? explainOpenError(error, shown) : error;
}

/** SQLite errors have a number; PostgreSQL and network errors have a code. */
function isDatabaseError(error: unknown): boolean {
  return typeof memberOf(error, 'errcode') === 'number' || errorCode(error) !== undefined;
}

/** Adds the period that HTTP API messages do not have. */
const asSentence = (error: AppError): AppError =>
  /[.!?:]$/.test(error.message)
    ? error
    : new AppError(error.code, `${error.message}.`, { reason: error.reason, cause: error });
