/** Time over which the speed is measured, in seconds: long enough for a steady value, short enough to follow changes. */
const WINDOW_SECONDS = 10;

interface Sample {
  readonly done: number;
  readonly seconds: number;
}

/**
 * Estimates the remaining time from the speed of the last seconds. What was already done at the first
 * report, for example the part of a download that is resumed, does not count as speed.
 */
export class TimeLeft {
  #samples: Sample[] = [];

  /** Adds a report. A smaller number than before, as after a restart, starts the measurement again. */
  report(done: number, seconds: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && done < last.done) this.#samples = [];
    this.#samples.push({ done, seconds });
    while ((this.#samples[1]?.seconds ?? seconds) < seconds - WINDOW_SECONDS) this.#samples.shift();
  }

  /** The remaining seconds; undefined while the speed is unknown. */
  seconds(total: number, now: number): number | undefined {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const speed = (last.done - first.done) / (now - first.seconds);
    const left = (total - last.done) / speed;
    return speed > 0 && Number.isFinite(left) ? left : undefined;
  }
}
