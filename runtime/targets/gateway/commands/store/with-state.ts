import { statSync } from 'node:fs';
import { AppError, configError } from '../../../../contract/errors.ts';
import { systemClock } from '../../../../platform/clock.ts';
import type { Invocation } from '../../../../serve/cli/command.ts';
import { type Administration, openAdministration } from '../../gateway-state.ts';
import { explainOpenError } from '../../store/database-error.ts';
import { openStore } from '../../store/open-store.ts';
import { type DatabasePlace, shownPlace } from '../../store/database-url.ts';
import { readStoreConfig, type StoreConfig } from './read-store-config.ts';

/**
 * Does something with what the gateway remembers, and closes it. A database that is not there is not made, and one of another
 * version is left alone: a mistyped path would make an empty one, and a newer command could break a gateway that runs.
 */
export async function withState<Result>(
  invocation: Invocation,
  work: (state: Administration, config: StoreConfig) => Promise<Result>,
): Promise<Result> {
  const config = await readStoreConfig(invocation);
  const { database: place } = config;
  refuseMissing(place);
  try {
    const state = openAdministration(await openStore(place, { autoMigrate: false }), systemClock);
    try {
      return await work(state, config);
    } finally {
      await state.close();
    }
  } catch (error) {
    throw explain(error, shownPlace(place));
  }
}

function refuseMissing(place: DatabasePlace): void {
  if (place.kind !== 'sqlite') return;
  try {
    statSync(place.path);
    return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // One that is out of reach may well be there.
    if (code === 'EACCES' || code === 'EPERM') {
      throw configError(
        `${place.path} cannot be reached: its folder may not be read. Change its permissions, or run as its owner.`,
        error,
      );
    }
  }
  throw configError(
    `There is no database at ${place.path}. \`gateway migrate\` makes it, and so does \`gateway serve\`; -c or --database-url names another.`,
  );
}

/** What is wrong with the database is for whoever runs it to know. */
function explain(error: unknown, shown: string): unknown {
  if (error instanceof AppError) {
    return error.reason === 'database_unavailable' ? explainOpenError(error.cause, shown) : asSentence(error);
  }
  return isDatabaseError(error) ? explainOpenError(error, shown) : error;
}

/** SQLite has numbers for what is wrong, PostgreSQL and the network have words. */
function isDatabaseError(error: unknown): boolean {
  const { errcode, code } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  return typeof errcode === 'number' || typeof code === 'string';
}

/** Some are in the words of the HTTP API, which ends none with a full stop. */
const asSentence = (error: AppError): AppError =>
  /[.!?:]$/.test(error.message)
    ? error
    : new AppError(error.code, `${error.message}.`, { reason: error.reason, cause: error });
