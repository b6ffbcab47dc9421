import type { Clock } from '#platform/clock.ts';

export interface IdleOptions {
  readonly clock: Clock;
  readonly idleMs: () => number;
  /** Returns the time of the last use, or now if it is in use; undefined if it should not be watched. */
  readonly lastUsed: () => number | undefined;
  readonly onIdle: () => void;
}

/** Calls `onIdle` once after a period without use. Uses need no call: the watch only checks when the period could be over. */
export class IdleWatch {
  readonly #options: IdleOptions;
  #cancel: (() => void) | undefined;

  constructor(options: IdleOptions) {
    this.#options = options;
  }

  start(): void {
    this.stop();
    const { clock, idleMs, lastUsed, onIdle } = this.#options;
    const used = lastUsed();
    if (used === undefined) return;
    const left = used + idleMs() - clock.now();
    if (left <= 0) onIdle();
    else this.#cancel = clock.after(left, () => this.start());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
