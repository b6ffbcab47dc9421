import type { Lifecycle } from '../../../../serve/lifecycle.ts';
import type { Logger } from '../../../../serve/log.ts';
import type { Attempt } from '../routing/routing.ts';
import type { AbandonedReads } from './usage-entries.ts';

export interface AbandonedBooking {
  /** Attempts whose answers are still being read. */
  readonly attempts: readonly Attempt[];
  readonly requestId: string;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly log: Logger;
  readonly book: (reads: AbandonedReads) => Promise<void>;
}

/**
 * Books abandoned answers when they have been read. The server waits for that before it ends, and ends the reading when its
 * time is over. Never rejects: no client is left to hear of it.
 */
export async function bookAbandoned({
  attempts,
  requestId,
  lifecycle,
  log,
  book,
}: AbandonedBooking): Promise<void> {
  const leave = lifecycle.extend(() => {
    for (const { abandoned } of attempts) abandoned?.stop();
  });
  try {
    const reads: AbandonedReads = new Map(
      await Promise.all(
        attempts.map(async (attempt) => [attempt, (await attempt.abandoned?.read) ?? FAILED] as const),
      ),
    );
    await book(reads);
  } catch (error) {
    log.error({ requestId, err: error }, 'an abandoned answer could not be booked now');
  } finally {
    leave();
  }
}

const FAILED = { kind: 'failed' } as const;
