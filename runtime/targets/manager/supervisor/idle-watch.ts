import type { Clock } from '../../../platform/clock.ts';

export interface IdleOptions {
  readonly clock: Clock;
  readonly idleMs: () => number;
  /** When it was last used; now, if it is in use; undefined if it does not matter. */
  readonly lastUsed: () => number | undefined;
  readonly onIdle: () => void;
}

/** Tells once when something has not been used for a while. Uses of it cost nothing: it looks now and then. */
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
