/** Time, so that tests need not wait for it. */
export interface Clock {
  /** Milliseconds since any moment. */
  now(): number;
  /** Runs something again and again; the function it returns stops that. */
  every(milliseconds: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  every(milliseconds, run) {
    const timer = setInterval(run, milliseconds).unref();
    return () => clearInterval(timer);
  },
};

export interface SessionRules<Value> {
  readonly max: number;
  /** After so long without a request or an open stream a session is gone. */
  readonly idleMilliseconds: number;
  readonly clock: Clock;
  /** Told of each session that the store itself gives up. */
  readonly onDrop: (value: Value) => void;
}

export interface SessionStore<Value> {
  /** False if there is no room: as many sessions as allowed, and all of them in use. */
  add(id: string, value: Value): boolean;
  get(id: string): Value | undefined;
  /** Marks a session as in use until the function it returns is called. */
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
  /** Ordered by last use, the longest ago first. */
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
        // Only if it is still there: it may have been ended meanwhile.
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
