import type { RunRules } from '#contract/batching.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import { BatchQueue, type Waiting } from './batch-queue.ts';

/** The lanes of requests: interactive requests run before bulk requests. */
export const LANES = ['interactive', 'bulk'] as const;
export type Lane = (typeof LANES)[number];

/**
 * Maximum number of tokens of a request that is interactive by default. With the default settings,
 * such a request fits into one batch.
 */
export const MAX_INTERACTIVE_TOKENS = 512;

/**
 * Returns the default lane of a request: small requests are interactive. `texts` are its first
 * texts, and `inputs` is the number of all its texts.
 */
export function laneOf(texts: readonly TokenizedText[], inputs: number): Lane {
  if (texts.length < inputs) return 'bulk';
  const tokens = texts
    .flatMap((text) => text.windows ?? [text])
    .reduce((sum, { ids }) => sum + ids.length, 0);
  return tokens <= MAX_INTERACTIVE_TOKENS ? 'interactive' : 'bulk';
}

/** An item of a request. All items of a request are in the same lane. */
interface InLane extends Waiting {
  readonly job: { readonly lane: Lane };
}

/**
 * Number of interactive batches that can run one after another while bulk requests wait, so that
 * interactive requests cannot stop all others.
 */
const MAX_IN_A_ROW = 4;

/** The model's queue, with one queue for each lane. A batch contains items of one lane. */
export class LaneQueue<Item extends InLane> {
  readonly #lanes: Readonly<Record<Lane, BatchQueue<Item>>>;
  #inARow = 0;

  constructor(rules: RunRules, maxPairs: number) {
    this.#lanes = {
      interactive: new BatchQueue<Item>(rules, maxPairs),
      bulk: new BatchQueue<Item>(rules, maxPairs),
    };
  }

  get size(): number {
    return this.#lanes.interactive.size + this.#lanes.bulk.size;
  }

  /** Number of waiting items in the interactive lane. */
  get interactive(): number {
    return this.#lanes.interactive.size;
  }

  /** Number of waiting items in the bulk lane. */
  get bulk(): number {
    return this.#lanes.bulk.size;
  }

  /** Total number of waiting tokens, including the padding that each item has in every batch. */
  get tokens(): number {
    return this.#lanes.interactive.tokens + this.#lanes.bulk.tokens;
  }

  /** Whether the items in one lane fill a batch. */
  isFull(maxTokens: number): boolean {
    return this.#lanes.interactive.isFull(maxTokens) || this.#lanes.bulk.isFull(maxTokens);
  }

  add(item: Item): void {
    this.#lanes[item.job.lane].add(item);
  }

  /** Removes an item if it is still waiting. */
  remove(item: Item): void {
    this.#lanes[item.job.lane].remove(item);
  }

  /** Removes and returns the next batch, usually of the interactive lane. Empty if nothing is waiting. */
  take(maxTokens: number, maxPadding?: number): Item[] {
    const { interactive, bulk } = this.#lanes;
    const isBulk = interactive.size === 0 || (bulk.size > 0 && this.#inARow >= MAX_IN_A_ROW);
    this.#inARow = isBulk ? 0 : this.#inARow + 1;
    return (isBulk ? bulk : interactive).take(maxTokens, maxPadding);
  }

  /** Removes and returns the next batch of the interactive lane, which runs in addition to bulk batches. */
  takeInteractive(maxTokens: number): Item[] {
    return this.#lanes.interactive.take(maxTokens);
  }
}
