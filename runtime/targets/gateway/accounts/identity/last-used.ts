import type { Clock } from '../../../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { KeyRow } from '../../store/schema.ts';

const WRITE_EVERY_MS = 60_000;

/** When keys were last used: exact in memory, written down once a minute at most, and never while a request waits for it. */
export interface LastUsed {
  readonly touch: (keyId: string) => void;
  readonly of: (row: Pick<KeyRow, 'id' | 'last_used_at'>) => number | null;
  /** Writes down what is not yet. */
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
        // In one order everywhere, so that no two processes wait for each other.
        for (const [id, at] of [...now].sort(([one], [other]) => (one < other ? -1 : 1))) {
          await trx
            .updateTable('gateway_keys')
            .set({ last_used_at: at })
            .where('id', '=', id)
            // Another process may have seen it later.
            .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', at)]))
            .execute();
        }
      });
    } catch {
      // It is not worth a failed request; the next minute tries again.
      unwritten = new Map([...now, ...unwritten]);
    }
  };

  return {
    touch(keyId) {
      unwritten.set(keyId, Math.floor(clock.now()));
      stopTimer ??= clock.after(WRITE_EVERY_MS, () => {
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
