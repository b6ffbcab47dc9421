import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { Ledger } from '../accounts/ledger/ledger.ts';
import { explainOpenError } from '../store/database-error.ts';
import { memberOf } from '#core/values/member-of.ts';

export interface DatabaseCheckParts {
  readonly ledger: Pick<Ledger, 'heartbeat'>;
  /** The database, as shown in messages. */
  readonly shown: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long a result is reused, because the health endpoints are public and not rate-limited. */
const MAX_AGE_MS = 1000;

/**
 * Creates a check of whether the database is writable. Its result is at most one second old. Failures and
 * recoveries are logged.
 */
export function createDatabaseCheck({
  ledger,
  shown,
  clock,
  log,
}: DatabaseCheckParts): () => Promise<boolean> {
  let checkedAt = -Infinity;
  let isAvailable = true;
  let checking: Promise<boolean> | undefined;

  const check = async (): Promise<boolean> => {
    const wasAvailable = isAvailable;
    try {
      await ledger.heartbeat();
      isAvailable = true;
      if (!wasAvailable) log.info('The database is available again.');
    } catch (error) {
      isAvailable = false;
      if (wasAvailable) log.error({ err: error }, explainOpenError(causeOf(error), shown).message);
    }
    checkedAt = clock.now();
    return isAvailable;
  };
  return async () => {
    if (Math.abs(clock.now() - checkedAt) < MAX_AGE_MS) return isAvailable;
    checking ??= check().finally(() => (checking = undefined));
    return await checking;
  };
}

/** The cause has the details, which the error itself hides from clients. */
const causeOf = (error: unknown): unknown => memberOf(error, 'cause') ?? error;
