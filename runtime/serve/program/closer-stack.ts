/** Everything that a server has opened, to be closed in reverse order. */
export interface CloserStack {
  readonly add: (close: () => Promise<void>) => void;
  /** Replaces the closer that was added last. The new closer must also close what the old one closed. */
  readonly replace: (close: () => Promise<void>) => void;
  /**
   * Calls all closers, the last one first, each after the one before it has settled. One that fails does not keep the others from
   * being called; the first failure is the rejection. A second call does not call them again.
   */
  readonly close: () => Promise<void>;
  /** Does the same for a start that has failed: failures of closers are dropped, because the error of the start is the one to report. */
  readonly abandon: () => Promise<void>;
}

export function createCloserStack(): CloserStack {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const closer of closers.splice(0).toReversed()) {
      try {
        await closer();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  return {
    add: (closer) => void closers.push(closer),
    replace: (closer) => void closers.splice(-1, 1, closer),
    close,
    abandon: () => close().catch(() => undefined),
  };
}
