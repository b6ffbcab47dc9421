/** Whoever waits for an answer, until they leave: what an AbortController does, for one listener and at a tenth of its cost. */
export interface Waiter {
  readonly hasLeft: () => boolean;
  /** The request goes out: from now on the provider can bill it. */
  readonly markSent: () => void;
  readonly isSent: () => boolean;
  /** In place of what was to be run before; at once if they have left. */
  readonly onLeave: (run: () => void) => void;
  readonly leave: () => void;
}

export function createWaiter(): Waiter {
  let hasLeft = false;
  let isSent = false;
  let listener: (() => void) | undefined;
  return {
    hasLeft: () => hasLeft,
    markSent: () => void (isSent = true),
    isSent: () => isSent,
    onLeave(run) {
      listener = run;
      if (hasLeft) run();
    },
    leave() {
      if (hasLeft) return;
      hasLeft = true;
      listener?.();
    },
  };
}
