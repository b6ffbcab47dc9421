import { AppError } from '../../../contract/errors.ts';
import type { TokenizedText } from '../../../core/model/tokenized-text.ts';
import type { EngineAnswer, EngineRequest, View } from './serving.ts';

/** One input while it is being processed. */
export interface JobItem {
  readonly job: Job;
  readonly index: number;
  readonly text: TokenizedText;
  /** Number of tokens; the queue sorts by it. */
  readonly length: number;
  /** Number of times a thread died while running this item. */
  deaths: number;
}

/** One request while it is being processed: collects the results of its inputs in input order. */
export class Job {
  readonly view: View;
  readonly answer: Promise<EngineAnswer>;
  /** Inputs that are accepted and not yet answered. */
  readonly waiting = new Set<JobItem>();
  readonly #settled = Promise.withResolvers<EngineAnswer>();
  readonly #results: Uint8Array[] = [];
  readonly #tokens: number[] = [];
  readonly #truncated: number[] = [];
  readonly #started = performance.now();
  #tokenized: number | undefined;
  #firstRun: number | undefined;
  #left: number;
  #ended = false;

  constructor({ inputs, view }: EngineRequest) {
    this.view = view;
    this.#left = inputs.length;
    this.answer = this.#settled.promise;
    // The client may have disconnected before the job fails, so no caller handles the rejection.
    this.answer.catch(() => {});
  }

  /** Number of inputs without a result. */
  get left(): number {
    return this.#left;
  }

  get ended(): boolean {
    return this.#ended;
  }

  item(index: number, text: TokenizedText): JobItem {
    const item = { job: this, index, text, length: text.ids.length, deaths: 0 };
    this.waiting.add(item);
    if (text.truncated) this.#truncated.push(index);
    return item;
  }

  tokenized(): void {
    this.#tokenized ??= performance.now();
  }

  runs(): void {
    this.#firstRun ??= performance.now();
  }

  done(item: JobItem, result: Uint8Array): void {
    this.waiting.delete(item);
    this.#results[item.index] = result;
    this.#tokens[item.index] = item.length;
    this.#left -= 1;
    if (this.#left === 0 && !this.#ended) this.#finish();
  }

  fail(error: unknown): void {
    this.#ended = true;
    this.waiting.clear();
    this.#settled.reject(AppError.from(error));
  }

  #finish(): void {
    this.#ended = true;
    const now = performance.now();
    const tokenized = this.#tokenized ?? now;
    const firstRun = this.#firstRun ?? now;
    this.#settled.resolve({
      results: this.#results,
      tokens: this.#tokens,
      truncated: this.#truncated,
      timings: {
        tokenization: tokenized - this.#started,
        // A long request starts to run before all of its inputs are tokenized.
        queue: Math.max(0, firstRun - tokenized),
        inference: now - firstRun,
        total: now - this.#started,
      },
    });
  }
}
