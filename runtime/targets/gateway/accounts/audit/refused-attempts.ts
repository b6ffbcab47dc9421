import type { Clock } from '#platform/clock.ts';
import type { Actor } from '../../store/audit/audit-trail.ts';
import type { Store } from '../../store/store.ts';

/** An attempt to use an admin route without permission. */
export interface RefusedAttempt {
  readonly actor: Actor;
  /** Method and path. */
  readonly route: string;
  readonly reason: string;
}

/** Records rejected attempts, but only a limited number of rows per minute, because any client can cause them. */
export interface RefusedAttempts {
  note(attempt: RefusedAttempt): void;
  /** Writes attempts that were counted but not written yet. */
  close(): Promise<void>;
}

const WINDOW_MS = 60_000;
/** Rows per minute and gateway, regardless of the counts in them. */
const MAX_ROWS = 20;

interface Repeated extends RefusedAttempt {
  more: number;
}

/**
 * The first attempt from an address with a given key and reason is written immediately. Further ones within a
 * minute are counted, and written as one row with their number when it ends. If there are too many rows, all
 * others share one row.
 */
export function createRefusedAttempts(
  { db, audit }: Pick<Store, 'db' | 'audit'>,
  { clock, onError }: { readonly clock: Clock; readonly onError: (error: unknown) => void },
): RefusedAttempts {
  const seen = new Map<string, Repeated>();
  const writing = new Set<Promise<void>>();
  let others: Repeated | undefined;
  let disarm: (() => void) | undefined;

  const write = ({ actor, route, reason }: RefusedAttempt, count: number): void => {
    const event = {
      at: clock.now(),
      action: 'access.refuse',
      object: route,
      outcome: 'refused',
      reason,
      count,
    } as const;
    const written = audit
      .actingAs(actor, () => audit.record(db, event))
      .catch(onError)
      .finally(() => writing.delete(written));
    writing.add(written);
  };
  const flush = (): void => {
    disarm?.();
    disarm = undefined;
    for (const attempt of seen.values()) if (attempt.more > 0) write(attempt, attempt.more);
    if (others) write(others, others.more);
    seen.clear();
    others = undefined;
  };
  return {
    note(attempt) {
      disarm ??= clock.after(WINDOW_MS, flush);
      const { address = '', id = '' } = attempt.actor;
      const key = `${address} ${id} ${attempt.reason}`;
      const known = seen.get(key);
      if (known) {
        known.more += 1;
      } else if (seen.size < MAX_ROWS) {
        seen.set(key, { ...attempt, more: 0 });
        write(attempt, 1);
      } else {
        others ??= { actor: { kind: 'anyone' }, route: 'any', reason: 'many_addresses', more: 0 };
        others.more += 1;
      }
    },
    async close() {
      flush();
      await Promise.all(writing);
    },
  };
}
