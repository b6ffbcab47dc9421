import { AppError } from '../../../contract/errors.ts';
import type { TokenizedText } from '../../../core/tokenized-text.ts';
import type { EngineAnswer, EngineRequest, View } from './api.ts';

/** One input on its way through the model. */
export interface JobItem {
  readonly job: Job;
  readonly index: number;
  readonly text: TokenizedText;
  /** Tokens: what the queue sorts by. */
  readonly length: number;
  /** How often a thread has died while it ran this. */
  deaths: number;
}

/** One request on its way through the model: collects what becomes of its inputs, in input order. */
export class Job {
  readonly view: View;
  readonly answer: Promise<EngineAnswer>;
  /** Inputs that are accepted and not answered. */
  readonly waiting = new Set<JobItem>();
  truncated = 0;

  readonly #settled = Promise.withResolvers<EngineAnswer>();
  readonly #results: Uint8Array[] = [];
  readonly #tokens: number[] = [];
  readonly #started = performance.now();
  #tokenized: number | undefined;
  #firstRun: number | undefined;
  #left: number;
  #ended = false;

  constructor({ inputs, view }: EngineRequest) {
    this.view = view;
    this.#left = inputs.length;
    this.answer = this.#settled.promise;
    // Whoever asked may have left before anything goes wrong.
    this.answer.catch(() => {});
  }

  /** Inputs that have no result yet. */
  get left(): number {
    return this.#left;
  }

  get ended(): boolean {
    return this.#ended;
  }

  item(index: number, text: TokenizedText): JobItem {
    const item = { job: this, index, text, length: text.ids.length, deaths: 0 };
    this.waiting.add(item);
    if (text.truncated) this.truncated += 1;
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
      timings: {
        tokenization: tokenized - this.#started,
        // Long requests begin to run before all of them is tokenised.
        queue: Math.max(0, firstRun - tokenized),
        inference: now - firstRun,
      },
    });
  }
}
