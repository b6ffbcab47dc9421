/** Work in the background that has to finish before the manager exits. */
export class PendingWork {
  readonly #pending = new Set<Promise<unknown>>();

  track<Value>(work: Promise<Value>): Promise<Value> {
    this.#pending.add(work);
    const remove = (): void => void this.#pending.delete(work);
    work.then(remove, remove);
    return work;
  }

  /** Resolves when all work is settled, including work that is added in the meantime. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }
}
