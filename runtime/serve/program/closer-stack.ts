/** Closes everything that a server has opened, in reverse order. */
export interface CloserStack {
  readonly add: (close: () => Promise<void>) => void;
  /** Replaces the closer that was added last. The new closer must also close what the old one closed. */
  readonly replace: (close: () => Promise<void>) => void;
  /**
   * Calls all closers sequentially, the last one first. A failing closer does not prevent the
   * others from being called; the call then rejects with the first failure. A second call does not
   * call the closers again.
   */
  readonly close: () => Promise<void>;
  /**
   * Calls all closers after a failed start. Failures of closers are ignored, because the error of
   * the start is the one to report.
   */
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
