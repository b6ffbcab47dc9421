import type { Lifecycle } from '#serve/lifecycle.ts';
import type { Logger } from '#serve/log.ts';
import type { Attempt } from '../routing/routing.ts';
import type { AbandonedReads } from './usage-entries.ts';

export interface AbandonedRecording {
  /** Attempts whose answers are still being read. */
  readonly attempts: readonly Attempt[];
  readonly requestId: string;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly log: Logger;
  readonly record: (reads: AbandonedReads) => Promise<void>;
}

/**
 * Records the usage of abandoned answers when they have been read. A server that shuts down waits for it and stops the reading when
 * its own time limit expires. Never rejects, because no client is left that could get the error.
 */
export async function recordAbandoned({
  attempts,
  requestId,
  lifecycle,
  log,
  record,
}: AbandonedRecording): Promise<void> {
  const endExtension = lifecycle.extend(() => {
    for (const { abandoned } of attempts) abandoned?.stop();
  });
  try {
    const reads: AbandonedReads = new Map(
      await Promise.all(
        attempts.map(async (attempt) => [attempt, (await attempt.abandoned?.read) ?? FAILED] as const),
      ),
    );
    await record(reads);
  } catch (error) {
    log.error({ requestId, err: error }, 'usage of an abandoned answer not recorded');
  } finally {
    endExtension();
  }
}

const FAILED = { kind: 'failed' } as const;
