import { AppError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import { ITSELF } from './input-limits.ts';
import type { Lane } from './lanes.ts';
import type { EngineAnswer, EngineRequest, View } from './serving.ts';
import { pushAll } from '#core/values/push-all.ts';
import { vectorKind } from '#contract/model-types.ts';
import type { VectorOptions } from '#core/model/vector-plan.ts';
import type { EntityOptions } from '#core/model/entity-options.ts';
import { itemAt } from '#core/values/item-at.ts';
import { readRenderedJson } from '../json/json.ts';
import { encodeJson } from '../json/json-writer.ts';
import { encodeVector } from '../json/vector-writer.ts';
import type { EntitySpan } from '../math/entity-candidates.ts';
import { meanOfWindows, normalizeL2 } from '../math/inference.ts';
import { scoreOfVector } from '../tasks/hybrid-score.ts';
import { sentenceEmbeddingTask } from '../tasks/sentence-embedding.ts';
import { entitiesOf, writeEntities } from '../tasks/zero-shot-ner.ts';

/** A long text while its windows are processed: collects their rendered results and merges them. */
class WindowedText {
  readonly #windows: readonly TokenizedText[];
  readonly #view: View;
  /** The vector options; undefined if the result is not a vector. */
  readonly #vector: VectorOptions | undefined;
  /** The entity options, if entities are chosen from the spans of all windows. */
  readonly #entities: EntityOptions | undefined;
  readonly #text: TokenizedText;
  readonly #parts: Uint8Array[] = [];
  #left: number;

  constructor(text: TokenizedText, windows: readonly TokenizedText[], view: View, { modelType }: Manifest) {
    this.#text = text;
    this.#entities = view.kind === 'result' ? view.options.entities : undefined;
    this.#windows = windows;
    this.#view = view;
    this.#vector = vectorOptions(view, modelType);
    this.#left = windows.length;
  }

  /** The view of a window: a list of tokens as requested, spans, or a vector that is not normalized yet. */
  viewOf(at: number): View {
    if (this.#entities) return { kind: 'spans', entities: this.#entities };
    if (!this.#vector) {
      return this.#view.kind === 'tokens' ? { kind: 'tokens', range: this.#ownTokens(at) } : this.#view;
    }
    const { dimensions, skip } = this.#vector;
    // Only the first window contains the prompt, whose tokens are skipped.
    return {
      kind: 'vector',
      format: 'base64',
      normalize: false,
      dimensions,
      skip: at === 0 ? skip : undefined,
    };
  }

  /**
   * The range of tokens that only this window returns. The first and the last window also return
   * their special tokens.
   */
  #ownTokens(at: number): [from: number, to: number] {
    const { details, ids } = itemAt(this.#windows, at);
    const special = details?.special ?? new Uint8Array(ids.length);
    const isLast = at === this.#windows.length - 1;
    return [at === 0 ? 0 : special.indexOf(0), isLast ? ids.length : special.lastIndexOf(0) + 1];
  }

  /**
   * Adds the result of a window. Returns the result of the text once the results of all its windows
   * have been added.
   */
  add(at: number, result: Uint8Array): Uint8Array | undefined {
    // Copied, because all results of a batch share one buffer.
    this.#parts[at] = result.slice();
    this.#left -= 1;
    return this.#left === 0 ? this.#merge() : undefined;
  }

  #merge(): Uint8Array {
    const view = this.#view;
    if (this.#entities) return this.#mergeSpans(this.#entities);
    if (!this.#vector) return isProto(view) ? Buffer.concat(this.#parts) : joinLists(this.#parts);
    const mean = meanOfWindows(
      this.#parts.map((part, at) => ({ vector: decodeVector(part), weight: this.#windows[at]?.weight ?? 0 })),
    );
    const vector = this.#vector.normalize ? normalizeL2(mean) : mean;
    if (view.kind === 'vector') return encodeVector(vector, view.format);
    if (view.kind === 'hybrid') return encodeJson(scoreOfVector(view.query, vector));
    const embedding = { embedding: vector };
    return isProto(view) ? sentenceEmbeddingTask.proto(embedding) : encodeJson(embedding);
  }

  #mergeSpans(entities: EntityOptions): Uint8Array {
    const { source } = this.#text.words ?? {};
    if (!source) throw new Error('tokenized without words');
    const spans = this.#parts.flatMap((part) => readRenderedJson(part) as EntitySpan[]);
    const result = entitiesOf(spans, source, entities);
    return isProto(this.#view) ? writeEntities(result) : encodeJson(result);
  }
}

function vectorOptions(view: View, modelType: Manifest['modelType']): VectorOptions | undefined {
  if (view.kind === 'vector') return view;
  // Models that read long texts in windows have dense vectors only.
  if (view.kind === 'hybrid') return view.query.vector;
  return view.kind === 'result' && vectorKind(modelType) === 'text' ? view.options : undefined;
}

/** Concatenating protobuf messages also concatenates their repeated fields. */
const isProto = (view: View): boolean => view.kind === 'result' && view.format === 'proto';

/** Joins JSON lists, or JSON objects whose only member is a list, such as `{"tokens":[…]}`. */
function joinLists(parts: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array()] = parts;
  const head = first.subarray(0, first.indexOf(OPENING) + 1);
  const lists = parts.map((part) => part.subarray(part.indexOf(OPENING) + 1, part.lastIndexOf(CLOSING)));
  const joined = lists
    .filter(({ length }) => length > 0)
    .flatMap((list, at) => (at === 0 ? [list] : [COMMA, list]));
  const tail = first.subarray(first.lastIndexOf(CLOSING));
  return Buffer.concat([head, ...joined, tail]);
}

const OPENING = 0x5b;
const CLOSING = 0x5d;
const COMMA = Buffer.from(',');

/** Decodes a JSON string that contains base64-encoded float32 values. */
function decodeVector(quoted: Uint8Array): Float32Array {
  const bytes = Uint8Array.from(
    Buffer.from(Buffer.from(quoted.subarray(1, -1)).toString('latin1'), 'base64'),
  );
  return new Float32Array(bytes.buffer);
}

/** Maximum number of windows of one request in the queue, so that other requests can run in between. */
const MAX_QUEUED_WINDOWS = 16;

/** One input while it is being processed. */
export interface JobItem {
  readonly job: EngineJob;
  readonly index: number;
  readonly text: TokenizedText;
  /** The request's view, or the view of a window of a long text. */
  readonly view: View;
  /** Set if the item is a window of a long text. */
  readonly part?: { readonly of: WindowedText; readonly at: number };
  /** Number of tokens. The queue groups items of similar length. */
  readonly length: number;
  /** Only items in the same group can share a run. */
  readonly group: string;
  /** Number of times a thread died while running this item. */
  deaths: number;
}

/** One request while it is being processed: collects the results of its inputs in input order. */
export class EngineJob {
  readonly view: View;
  /** The index of an input in the caller's request. */
  readonly indexOf: (input: number) => number;
  readonly answer: Promise<EngineAnswer>;
  /** Set before the first items are queued, and not changed afterwards. */
  lane: Lane = 'interactive';
  /** Inputs that are accepted but not yet completed. */
  readonly waiting = new Set<JobItem>();
  readonly #settled = Promise.withResolvers<EngineAnswer>();
  readonly #results: Uint8Array[] = [];
  readonly #tokens: number[] = [];
  readonly #truncated = new Set<number>();
  /** Windows that are held back from the queue, so that a very long text does not delay other requests. */
  readonly #backlog: JobItem[] = [];
  readonly #sharedBy: string;
  readonly #started = performance.now();
  #tokenized: number | undefined;
  #firstRun: number | undefined;
  #left: number;
  #ended = false;

  constructor({ inputs, view, labels, indexOf = ITSELF }: EngineRequest) {
    this.view = view;
    this.indexOf = indexOf;
    // The number of results for a text depends on its labels, so texts with different labels cannot
    // share a run.
    this.#sharedBy = labels === undefined ? '' : JSON.stringify(labels);
    this.#left = inputs.length;
    this.answer = this.#settled.promise;
    // If the client has disconnected before the job fails, no caller handles the rejection.
    this.answer.catch(() => {});
  }

  /** Number of inputs without a result. Each window of a long text counts as one input. */
  get left(): number {
    return this.#left;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Returns the first items to run for an input; `next` returns the remaining items. */
  items(index: number, text: TokenizedText, manifest: Manifest): JobItem[] {
    if (text.truncated) this.#truncated.add(index);
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

  /** Returns the window to run after one that is done. */
  next(): JobItem | undefined {
    const item = this.#backlog.shift();
    if (item) this.waiting.add(item);
    return item;
  }

  #item(index: number, text: TokenizedText, view: View): JobItem {
    // Texts and images are read by different graphs.
    const group = text.image ? `${this.#sharedBy} image` : this.#sharedBy;
    return { job: this, index, text, view, length: text.ids.length, group, deaths: 0 };
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
        // A long request starts running before all of its inputs are tokenized.
        queue: Math.max(0, firstRun - tokenized),
        inference: now - firstRun,
        total: now - this.#started,
      },
    });
  }
}
