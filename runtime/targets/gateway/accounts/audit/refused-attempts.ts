import type { Clock } from '#platform/clock.ts';
import type { Actor } from '../../store/audit/audit-trail.ts';
import type { Store } from '../../store/store.ts';

/** An attempt to use an administrative route without the permission. */
export interface RefusedAttempt {
  readonly actor: Actor;
  /** Method and path. */
  readonly route: string;
  readonly reason: string;
}

/** Records rejected attempts, but only a limited number of rows per minute, because anyone can cause them. */
export interface RefusedAttempts {
  note(attempt: RefusedAttempt): void;
  /** Writes what is counted but not written yet. */
  close(): Promise<void>;
}

const WINDOW_MS = 60_000;
/** Rows per minute of one gateway, not including their counts. */
const MAX_ROWS = 20;

interface Repeated extends RefusedAttempt {
  more: number;
}

/**
 * The first attempt of an address with a key and a reason is written immediately. Further ones within a minute are counted, and one row with
 * their number is written at its end. With too many of them, all others share one row.
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
