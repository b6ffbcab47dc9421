import { type OpenEntry, OpenList } from './open-list.ts';

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

/** Counts the requests that run. */
export interface Places {
  readonly running: number;
  /** Takes a place. Returns false if this many are taken. */
  take(maxRunning: number): boolean;
  free(): void;
  /** Receives the number of requests that wait for a place. */
  wait(count: number): void;
}

/** The places of a single thread. */
class OwnPlaces implements Places {
  running = 0;

  take(maxRunning: number): boolean {
    if (this.running >= maxRunning) return false;
    this.running += 1;
    return true;
  }

  free(): void {
    this.running -= 1;
  }

  wait(): void {}
}

/** A concurrency limit with a bounded FIFO queue. */
export class TurnQueue {
  readonly #places: Places;
  readonly #waiting = new OpenList<() => void>();
  #maxRunning: number;
  #maxWaiting: number;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(maxRunning: number, maxWaiting: number, places: Places = new OwnPlaces()) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
    this.#places = places;
  }

  get running(): number {
    return this.#places.running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Changes the limits. Running and waiting requests are kept, even if they exceed the new limits. */
  resize(maxRunning: number, maxWaiting: number): void {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
    this.grant();
  }

  ask(): Turn {
    if (this.#waiting.size === 0 && this.#places.take(this.#maxRunning))
      return { kind: 'granted', leave: this.#leave() };
    if (this.#waiting.size >= this.#maxWaiting) return { kind: 'refused' };
    const { promise, resolve } = Promise.withResolvers<void>();
    const endTurn = this.#leave();
    let granted = false;
    const grant = (): void => {
      granted = true;
      resolve();
    };
    const entry = this.#waiting.add(grant);
    this.#places.wait(this.#waiting.size);
    // A place that another thread freed before this request was counted as waiting has not been announced.
    this.grant();
    const leave = (): void => {
      if (granted) endTurn();
      else this.#stopWaiting(entry);
    };
    return { kind: 'waiting', granted: promise, leave };
  }

  /** Grants free places in the order of arrival. */
  grant(): void {
    for (
      let next = this.#waiting.first;
      next && this.#places.take(this.#maxRunning);
      next = this.#waiting.first
    ) {
      this.#waiting.delete(next);
      this.#places.wait(this.#waiting.size);
      next.item();
    }
  }

  /** Resolves when no requests are running or waiting. */
  idle(): Promise<void> {
    if (this.running === 0 && this.#waiting.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  #leave(): Leave {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#places.free();
      this.grant();
      this.#tellIfIdle();
    };
  }

  #stopWaiting(entry: OpenEntry<() => void>): void {
    this.#waiting.delete(entry);
    this.#places.wait(this.#waiting.size);
    this.#tellIfIdle();
  }

  #tellIfIdle(): void {
    if (this.running > 0 || this.#waiting.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
