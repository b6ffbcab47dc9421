/** Work that several wait for: it is given up only when all of them have left. */
export class SharedWork<Result> {
  readonly #promise: Promise<Result>;
  readonly #stop = new AbortController();
  #waiting = 0;
  #over = false;

  constructor(work: (signal: AbortSignal) => Promise<Result>) {
    this.#promise = work(this.#stop.signal).finally(() => {
      this.#over = true;
    });
    // Each who waits hears of a failure; it is no failure that nobody does.
    this.#promise.catch(() => {});
  }

  /** Whether waiting for it leads nowhere any more. */
  get givenUp(): boolean {
    return this.#stop.signal.aborted;
  }

  async join(wait: (promise: Promise<Result>) => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    try {
      return await wait(this.#promise);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#over) this.#stop.abort();
    }
  }
}
