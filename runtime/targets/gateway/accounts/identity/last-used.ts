import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { KeyRow } from '../../store/schema.ts';

const WRITE_INTERVAL_MS = 60_000;

/** Times at which keys were last used: exact in memory, written at most once per minute, without delaying a request. */
export interface LastUsed {
  readonly touch: (keyId: string) => void;
  readonly of: (row: Pick<KeyRow, 'id' | 'last_used_at'>) => number | null;
  /** Writes the times that are not written yet. */
  readonly close: () => Promise<void>;
}

export function createLastUsed({ db }: Pick<Store, 'db'>, clock: Clock): LastUsed {
  let unwritten = new Map<string, number>();
  let stopTimer: (() => void) | undefined;

  const write = async (): Promise<void> => {
    const now = unwritten;
    unwritten = new Map();
    if (now.size === 0) return;
    try {
      await db.transaction().execute(async (trx) => {
        // All processes lock the rows in the same order, so that they cannot deadlock.
        for (const [id, at] of [...now].sort(([one], [other]) => (one < other ? -1 : 1))) {
          await trx
            .updateTable('gateway_keys')
            .set({ last_used_at: at })
            .where('id', '=', id)
            // Another process may have written a later time.
            .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', at)]))
            .execute();
        }
      });
    } catch {
      // The times are not worth a failed request. The next write includes them.
      unwritten = new Map([...now, ...unwritten]);
    }
  };

  return {
    touch(keyId) {
      unwritten.set(keyId, Math.floor(clock.now()));
      stopTimer ??= clock.after(WRITE_INTERVAL_MS, () => {
        stopTimer = undefined;
        void write();
      });
    },
    of: ({ id, last_used_at: written }) => {
      const latest = unwritten.get(id);
      return latest === undefined ? written : Math.max(latest, written ?? 0);
    },
    close: async () => {
      stopTimer?.();
      await write();
    },
  };
}
