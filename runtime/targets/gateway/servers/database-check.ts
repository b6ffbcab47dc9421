import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../serve/log.ts';
import type { Ledger } from '../accounts/ledger/ledger.ts';
import { explainOpenError } from '../store/database-error.ts';

export interface DatabaseCheckParts {
  readonly ledger: Pick<Ledger, 'sign'>;
  /** How the database is called. */
  readonly shown: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Anybody may ask, as often as they like. */
const GOOD_FOR_MS = 1000;

/** Whether the database keeps what is written, not older than a second. The log tells why not, and when it does again. */
export function createDatabaseCheck({
  ledger,
  shown,
  clock,
  log,
}: DatabaseCheckParts): () => Promise<boolean> {
  let checkedAt = -Infinity;
  let works = true;
  let checking: Promise<boolean> | undefined;

  const look = async (): Promise<boolean> => {
    const before = works;
    try {
      await ledger.sign();
      works = true;
      if (!before) log.info('The database can be used again.');
    } catch (error) {
      works = false;
      if (before) log.error({ err: error }, explainOpenError(causeOf(error), shown).message);
    }
    checkedAt = clock.now();
    return works;
  };
  return async () => {
    if (Math.abs(clock.now() - checkedAt) < GOOD_FOR_MS) return works;
    checking ??= look().finally(() => (checking = undefined));
    return await checking;
  };
}

/** What clients are told says nothing to whoever runs the gateway. */
const causeOf = (error: unknown): unknown => (error as { readonly cause?: unknown }).cause ?? error;
