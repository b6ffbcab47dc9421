/**
 * Removes a waiting request from the queue, or frees the place of a running one. Repeated calls
 * have no effect.
 */
export type Leave = () => void;

/** Result of a request to run: it can run immediately, it has to wait, or the queue is full. */
export type Turn =
  | { readonly kind: 'granted'; readonly leave: Leave }
  | { readonly kind: 'waiting'; readonly granted: Promise<void>; readonly leave: Leave }
  | { readonly kind: 'refused' };

/** A concurrency limit with a bounded FIFO queue. */
export class TurnQueue {
  #running = 0;
  /** A Set, because it keeps the order of arrival and deletes entries in constant time. */
  readonly #waiting = new Set<() => void>();
  #maxRunning: number;
  #maxWaiting: number;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(maxRunning: number, maxWaiting: number) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Changes the limits. Running and waiting requests are kept, even if they exceed the new limits. */
  resize(maxRunning: number, maxWaiting: number): void {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
    this.#grant();
  }

  ask(): Turn {
    if (this.#running < this.#maxRunning && this.#waiting.size === 0) {
      this.#running += 1;
      return { kind: 'granted', leave: this.#leave() };
    }
    if (this.#waiting.size >= this.#maxWaiting) return { kind: 'refused' };
    const { promise, resolve } = Promise.withResolvers<void>();
    const endTurn = this.#leave();
    let granted = false;
    const grant = (): void => {
      granted = true;
      resolve();
    };
    this.#waiting.add(grant);
    const leave = (): void => {
      if (granted) endTurn();
      else if (this.#waiting.delete(grant)) this.#tellIfIdle();
    };
    return { kind: 'waiting', granted: promise, leave };
  }

  /** Resolves when no requests are running or waiting. */
  idle(): Promise<void> {
    if (this.#running === 0 && this.#waiting.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  #leave(): Leave {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#running -= 1;
      this.#grant();
      this.#tellIfIdle();
    };
  }

  #grant(): void {
    for (const grant of this.#waiting) {
      if (this.#running >= this.#maxRunning) return;
      this.#waiting.delete(grant);
      this.#running += 1;
      grant();
    }
  }

  #tellIfIdle(): void {
    if (this.#running > 0 || this.#waiting.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
