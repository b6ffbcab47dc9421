/**
 * Reports that the result of some work is no longer needed. This is the part of `AbortSignal` that the work
 * uses, so that a request does not need a whole `AbortSignal`, whose events cost more than the work itself.
 */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Returns an `AbortSignal` for work that needs one; without a cancellation, a signal that is never aborted. */
export function abortSignalOf(cancellation: Cancellation | undefined): AbortSignal {
  if (cancellation instanceof AbortSignal) return cancellation;
  const controller = new AbortController();
  if (cancellation?.aborted) controller.abort(cancellation.reason);
  else {
    const abort = (): void => controller.abort(cancellation?.reason);
    cancellation?.addEventListener('abort', abort, { once: true });
  }
  return controller.signal;
}

/** A cancellation without the events of an `AbortSignal`. */
export class Canceler implements Cancellation {
  aborted = false;
  reason: unknown;
  readonly #listeners: (() => void)[] = [];

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  /** Calls all listeners, only once. */
  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}
