/** Receives the number of completed runs, and of all runs that are planned so far. */
export type OnRuns = (done: number, planned: number) => void;

/** Counts how often samples have run through a graph. The plan grows if more forms of a model must be tried. */
export class RunMeter {
  readonly #onRuns: OnRuns;
  #done = 0;
  #planned = 0;

  constructor(onRuns: OnRuns = () => {}) {
    this.#onRuns = onRuns;
  }

  plan(runs: number): void {
    this.#planned += runs;
  }

  /** Runs that were not planned extend the plan, so that progress never exceeds it. */
  complete(runs: number): void {
    this.#done += runs;
    this.#planned = Math.max(this.#planned, this.#done);
    this.#onRuns(this.#done, this.#planned);
  }
}
