/** What has to be closed, the last one first. */
export interface Closers {
  readonly add: (close: () => Promise<void>) => void;
  /** Instead of the one that was added last, which is closed with it. */
  readonly replace: (close: () => Promise<void>) => void;
  /** Closes all, also when one of them fails; rejects with the first failure. */
  readonly close: () => Promise<void>;
}

export function inTurn(): Closers {
  const all: (() => Promise<void>)[] = [];
  return {
    add: (close) => void all.push(close),
    replace: (close) => void all.splice(-1, 1, close),
    async close() {
      const failures: unknown[] = [];
      for (const close of all.splice(0).toReversed()) {
        await close().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
