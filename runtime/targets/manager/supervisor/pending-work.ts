/** Work that nobody waits for now, and that must be over before the manager ends. */
export class PendingWork {
  readonly #pending = new Set<Promise<unknown>>();

  track<Value>(work: Promise<Value>): Promise<Value> {
    this.#pending.add(work);
    const forget = (): void => void this.#pending.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when all of it is over, also what was added meanwhile, however it went. */
  async over(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }
}
