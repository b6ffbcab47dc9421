/** Takes back a place in the queue, or gives up a turn; more than once does nothing. */
export type Leave = () => void;

/** What happened to somebody who asked for a turn. */
export type Turn =
  | { readonly kind: 'granted'; readonly leave: Leave }
  | { readonly kind: 'waiting'; readonly granted: Promise<void>; readonly leave: Leave }
  | { readonly kind: 'refused' };

/** Lets so many run at once, and so many more wait, first come first served. */
export class TurnQueue {
  #running = 0;
  /** A Set keeps the order of arrival and forgets whoever leaves in constant time. */
  readonly #waiting = new Set<() => void>();
  #atOnce: number;
  #mayWait: number;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(atOnce: number, mayWait: number) {
    this.#atOnce = atOnce;
    this.#mayWait = mayWait;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whoever runs or waits already stays, even if that is more than is allowed now. */
  resize(atOnce: number, mayWait: number): void {
    this.#atOnce = atOnce;
    this.#mayWait = mayWait;
    this.#grant();
  }

  ask(): Turn {
    if (this.#running < this.#atOnce && this.#waiting.size === 0) {
      this.#running += 1;
      return { kind: 'granted', leave: this.#leave() };
    }
    if (this.#waiting.size >= this.#mayWait) return { kind: 'refused' };
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

  /** Resolves when nobody runs or waits. */
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
      if (this.#running >= this.#atOnce) return;
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
