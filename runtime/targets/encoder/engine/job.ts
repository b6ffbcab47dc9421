import { AppError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import type { EngineAnswer, EngineRequest, View } from './serving.ts';
import { WindowedText } from './windowed-text.ts';
import { pushAll } from '#core/values/push-all.ts';

/** Maximum number of windows of one request in the queue: other requests get their turn between them. */
const MAX_QUEUED_WINDOWS = 16;

/** One input while it is being processed. */
export interface JobItem {
  readonly job: Job;
  readonly index: number;
  readonly text: TokenizedText;
  /** The view of the request, or of a window of a long text. */
  readonly view: View;
  /** Set if the item is a window of a long text. */
  readonly part?: { readonly of: WindowedText; readonly at: number };
  /** Number of tokens; the queue sorts by it. */
  readonly length: number;
  /** Only items of the same group can share a run. */
  readonly group: string;
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
  readonly #truncated = new Set<number>();
  readonly #group: number;
  /** Windows that are not in the queue yet, so that a very long text does not delay other requests. */
  readonly #backlog: JobItem[] = [];
  readonly #sharedBy: string;
  readonly #started = performance.now();
  #tokenized: number | undefined;
  #firstRun: number | undefined;
  #left: number;
  #ended = false;

  constructor({ inputs, view, labels, group = 1 }: EngineRequest) {
    this.view = view;
    this.#group = group;
    // Texts with other labels have another number of results.
    this.#sharedBy = labels === undefined ? '' : JSON.stringify(labels);
    this.#left = inputs.length;
    this.answer = this.#settled.promise;
    // The client may have disconnected before the job fails, so no caller handles the rejection.
    this.answer.catch(() => {});
  }

  /** Number of inputs without a result; each window of a long text counts. */
  get left(): number {
    return this.#left;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Returns the items of an input to run first; `next` returns the others. */
  items(index: number, text: TokenizedText, manifest: Manifest): JobItem[] {
    if (text.truncated) this.#truncated.add(Math.floor(index / this.#group));
    if (!text.windows) return this.#wait([this.#item(index, text, this.view)]);
    const of = new WindowedText(text, text.windows, this.view, manifest);
    const items = text.windows.map((window, at) => ({
      ...this.#item(index, window, of.viewOf(at)),
      part: { of, at },
    }));
    this.#left += items.length - 1;
    const room = Math.max(1, MAX_QUEUED_WINDOWS - this.waiting.size);
    pushAll(this.#backlog, items.slice(room));
    return this.#wait(items.slice(0, room));
  }

  /** Returns the next window to run after one that is done. */
  next(): JobItem | undefined {
    const item = this.#backlog.shift();
    if (item) this.waiting.add(item);
    return item;
  }

  #item(index: number, text: TokenizedText, view: View): JobItem {
    return { job: this, index, text, view, length: text.ids.length, group: this.#sharedBy, deaths: 0 };
  }

  #wait(items: JobItem[]): JobItem[] {
    for (const item of items) this.waiting.add(item);
    return items;
  }

  tokenized(): void {
    this.#tokenized ??= performance.now();
  }

  runs(): void {
    this.#firstRun ??= performance.now();
  }

  done(item: JobItem, result: Uint8Array): void {
    this.waiting.delete(item);
    this.#tokens[item.index] = (this.#tokens[item.index] ?? 0) + item.length;
    const whole = item.part ? item.part.of.add(item.part.at, result) : result;
    if (whole) this.#results[item.index] = whole;
    this.#left -= 1;
    if (this.#left === 0 && !this.#ended) this.#finish();
  }

  fail(error: unknown): void {
    this.#ended = true;
    this.waiting.clear();
    this.#backlog.length = 0;
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
      truncated: [...this.#truncated],
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
