/** A clock that tests can replace. */
export interface SessionClock {
  /** Milliseconds since an arbitrary point in time. */
  now(): number;
  /** Runs a function periodically; the returned function stops it. */
  every(milliseconds: number, run: () => void): () => void;
}

export const systemSessionClock: SessionClock = {
  now: () => performance.now(),
  every(milliseconds, run) {
    const timer = setInterval(run, milliseconds).unref();
    return () => clearInterval(timer);
  },
};

export interface SessionRules<Value> {
  readonly max: number;
  /** Time after which a session without requests or open streams is removed. */
  readonly idleMilliseconds: number;
  readonly clock: SessionClock;
  /** Called for each session that the store removes itself. */
  readonly onDrop: (value: Value) => void;
}

export interface SessionStore<Value> {
  /** Adds a session. Returns false if the store is full and all sessions are in use. */
  add(id: string, value: Value): boolean;
  get(id: string): Value | undefined;
  /** Marks a session as in use until the returned function is called. */
  enter(id: string): () => void;
  delete(id: string): void;
  values(): Value[];
  readonly size: number;
  stop(): void;
}

interface Entry<Value> {
  readonly value: Value;
  uses: number;
  lastUsed: number;
}

export function createSessionStore<Value>(rules: SessionRules<Value>): SessionStore<Value> {
  const { max, idleMilliseconds, clock, onDrop } = rules;
  /** Ordered by last use, least recently used first. */
  const entries = new Map<string, Entry<Value>>();
  const drop = (id: string, { value }: Entry<Value>): void => {
    entries.delete(id);
    onDrop(value);
  };
  const expired = ({ uses, lastUsed }: Entry<Value>): boolean =>
    uses === 0 && clock.now() - lastUsed >= idleMilliseconds;
  const sweep = (): void => {
    for (const [id, entry] of entries) if (expired(entry)) drop(id, entry);
  };
  const makeRoom = (): boolean => {
    if (entries.size < max) return true;
    const oldestIdle = [...entries].find(([, { uses }]) => uses === 0);
    if (oldestIdle) drop(...oldestIdle);
    return oldestIdle !== undefined;
  };
  const stop = clock.every(Math.max(1, Math.min(idleMilliseconds, 60_000)), sweep);

  return {
    add(id, value) {
      if (!makeRoom()) return false;
      entries.set(id, { value, uses: 0, lastUsed: clock.now() });
      return true;
    },
    get(id) {
      const entry = entries.get(id);
      if (!entry || !expired(entry)) return entry?.value;
      drop(id, entry);
      return undefined;
    },
    enter(id) {
      const entry = entries.get(id);
      if (!entry) return () => undefined;
      entry.uses += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        entry.uses -= 1;
        entry.lastUsed = clock.now();
        // The session may have been closed in the meantime.
        if (entries.delete(id)) entries.set(id, entry);
      };
    },
    delete: (id) => void entries.delete(id),
    values: () => [...entries.values()].map(({ value }) => value),
    get size() {
      return entries.size;
    },
    stop,
  };
}
