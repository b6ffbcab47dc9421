/** Cancels one request, as an AbortController does, but with a single listener and at a tenth of the cost. */
export interface Waiter {
  readonly isCancelled: () => boolean;
  /** Called when the request is sent: from now on the provider can bill it. */
  readonly markSent: () => void;
  readonly isSent: () => boolean;
  /** Sets the listener, in place of the one before. Runs it immediately if the request is already cancelled. */
  readonly onCancel: (run: () => void) => void;
  readonly cancel: () => void;
}

export function createWaiter(): Waiter {
  let isCancelled = false;
  let isSent = false;
  let listener: (() => void) | undefined;
  return {
    isCancelled: () => isCancelled,
    markSent: () => void (isSent = true),
    isSent: () => isSent,
    onCancel(run) {
      listener = run;
      if (isCancelled) run();
    },
    cancel() {
      if (isCancelled) return;
      isCancelled = true;
      listener?.();
    },
  };
}
