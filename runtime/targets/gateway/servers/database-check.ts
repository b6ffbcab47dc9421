import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../serve/log.ts';
import type { Ledger } from '../accounts/ledger/ledger.ts';
import { explainOpenError } from '../store/database-error.ts';

export interface DatabaseCheckParts {
  readonly ledger: Pick<Ledger, 'heartbeat'>;
  /** The database as shown in messages. */
  readonly shown: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long a result is reused, because anyone can request the health endpoints at any rate. */
const MAX_AGE_MS = 1000;

/** Creates a check whether the database can be written, whose result is at most a second old. Failure and recovery are logged. */
export function createDatabaseCheck({
  ledger,
  shown,
  clock,
  log,
}: DatabaseCheckParts): () => Promise<boolean> {
  let checkedAt = -Infinity;
  let works = true;
  let checking: Promise<boolean> | undefined;

  const check = async (): Promise<boolean> => {
    const before = works;
    try {
      await ledger.heartbeat();
      works = true;
      if (!before) log.info('The database is available again.');
    } catch (error) {
      works = false;
      if (before) log.error({ err: error }, explainOpenError(causeOf(error), shown).message);
    }
    checkedAt = clock.now();
    return works;
  };
  return async () => {
    if (Math.abs(clock.now() - checkedAt) < MAX_AGE_MS) return works;
    checking ??= check().finally(() => (checking = undefined));
    return await checking;
  };
}

/** The cause has the details, which the error itself hides from clients. */
const causeOf = (error: unknown): unknown => (error as { readonly cause?: unknown }).cause ?? error;
