import type { RunRules } from '#contract/batching.ts';

/** An item in the queue. The queue only considers its number of tokens and its group. */
export interface Waiting {
  readonly length: number;
  /** Only items in the same group can share a run. All items without a group belong to one group. */
  readonly group?: string | undefined;
}

/**
 * A queue of the model, which selects the items to run next. Every batch starts with the item that has
 * waited longest, so that no item starves, and is filled with items of similar length to reduce
 * padding.
 */
export class BatchQueue<Item extends Waiting> {
  /** In order of arrival. A Set preserves the order and deletes items in constant time. */
  readonly #arrivals = new Set<Item>();
  /** Each group's items by length. */
  readonly #groups = new Map<string, Group<Item>>();
  readonly #rules: RunRules;
  readonly #maxPairs: number;
  #tokens = 0;

  /**
   * `maxPairs` is the maximum number of token pairs in a batch, because the memory for a batch is
   * proportional to texts x length².
   */
  constructor(rules: RunRules = {}, maxPairs = Infinity) {
    this.#rules = rules;
    this.#maxPairs = maxPairs;
  }

  get size(): number {
    return this.#arrivals.size;
  }

  /** Total number of waiting tokens, including the padding that each item has in every batch. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Whether the waiting items fill a batch, so that waiting for more cannot improve it. */
  isFull(maxTokens: number): boolean {
    const { batching, fixedShape } = this.#rules;
    if (batching === 'single') return this.size > 0;
    return fixedShape?.texts === undefined ? this.#tokens >= maxTokens : this.size >= fixedShape.texts;
  }

  add(item: Item): void {
    this.#arrivals.add(item);
    const group = this.#groups.get(groupOf(item)) ?? { size: 0, byLength: [] };
    this.#groups.set(groupOf(item), group);
    group.size += 1;
    (group.byLength[item.length] ??= new Set()).add(item);
    this.#tokens += widthOf(this.#rules, item.length);
  }

  /** Removes an item if it is still waiting. */
  remove(item: Item): void {
    if (!this.#arrivals.delete(item)) return;
    const group = this.#groups.get(groupOf(item));
    if (group) {
      group.byLength[item.length]?.delete(item);
      group.size -= 1;
      // The labels in a request determine its group, so the number of groups is unlimited.
      if (group.size === 0) this.#groups.delete(groupOf(item));
    }
    this.#tokens -= widthOf(this.#rules, item.length);
  }

  /**
   * Removes and returns the next batch: at most `maxTokens` padded tokens, or one item of any length. Each
   * item adds at most `maxPadding` tokens of padding. Empty if nothing is waiting.
   */
  take(maxTokens: number, maxPadding = MAX_ADDED_PADDING): Item[] {
    const [oldest] = this.#arrivals;
    if (!oldest) return [];
    const batch: Item[] = [];
    const choose = (item: Item): void => {
      this.remove(item);
      batch.push(item);
    };
    choose(oldest);
    let width = oldest.length;
    let below: number | undefined = oldest.length;
    let above: number | undefined = oldest.length + 1;
    while (below !== undefined || above !== undefined) {
      const shorter: Item | undefined = this.#nearest(oldest, below, -1);
      const longer: Item | undefined = this.#nearest(oldest, above, 1);
      below = shorter?.length;
      above = longer?.length;
      const next = pick(oldest.length, shorter, longer);
      if (!next) break;
      const wider = Math.max(width, next.length);
      const fits =
        canShareRun(this.#rules, oldest.length, next.length) &&
        hasRoom(this.#rules, batch.length, wider, maxTokens) &&
        wider * wider * (batch.length + 1) <= this.#maxPairs &&
        this.#isWorthwhile(batch.length, width, next.length, maxPadding);
      if (fits) {
        choose(next);
        width = wider;
      } else if (next === longer) {
        above = undefined;
      } else {
        below = undefined;
      }
    }
    return batch;
  }

  /** Whether adding one more item to a batch of this width is better than a separate run for that item. */
  #isWorthwhile(count: number, width: number, length: number, maxPadding: number): boolean {
    if (this.#rules.fixedShape) return true;
    const added = Math.max(width, length) * (count + 1) - width * count;
    return added <= length + maxPadding;
  }

  /**
   * Returns the first item of length `from` in the group of `oldest`, or the first item of the
   * nearest length in the direction of `step`.
   */
  #nearest(oldest: Item, from: number | undefined, step: 1 | -1): Item | undefined {
    if (from === undefined) return undefined;
    const { byLength = [] } = this.#groups.get(groupOf(oldest)) ?? {};
    for (let length = from; length >= 0 && length < byLength.length; length += step) {
      const [first] = byLength[length] ?? [];
      if (first) return first;
    }
    return undefined;
  }
}

interface Group<Item> {
  size: number;
  readonly byLength: (Set<Item> | undefined)[];
}

const groupOf = ({ group = '' }: Waiting): string => group;

/**
 * Padding that an item is allowed to add to a batch on the CPU, in tokens. The overhead of a run equals the
 * cost of 14 tokens, but an item that does not join the batch can still share another run
 * (docs/decisions/0010).
 */
const MAX_ADDED_PADDING = 8;

function pick<Item extends Waiting>(
  length: number,
  shorter: Item | undefined,
  longer: Item | undefined,
): Item | undefined {
  if (!shorter || !longer) return shorter ?? longer;
  return length - shorter.length <= longer.length - length ? shorter : longer;
}

/** Whether a batch of `count` texts has space for one more text, which makes it `length` tokens wide. */
function hasRoom(rules: RunRules, count: number, length: number, maxTokens: number): boolean {
  const { texts } = rules.fixedShape ?? {};
  // A graph with a fixed number of texts takes the same time if some of the texts are replaced by padding.
  return texts === undefined ? widthOf(rules, length) * (count + 1) <= maxTokens : count < texts;
}

/** Minimum number of tokens, including padding, that a text of this length occupies in a run. */
export const widthOf = ({ fixedShape }: RunRules, length: number): number => fixedShape?.tokens ?? length;

/** Whether two texts of these lengths can share a run. */
function canShareRun({ batching = 'any' }: RunRules, length: number, other: number): boolean {
  return batching === 'any' || (batching === 'equal_length' && length === other);
}

const lengthAt = (lengths: readonly number[], index: number): number => lengths[index] ?? 0;

/**
 * Groups texts into batches of similar length to reduce padding: sorted by length, at most
 * `maxTokens` padded tokens per batch (or one text of any length), and only texts that can share a
 * run. Returns indexes into `lengths`.
 */
export function planBatches(lengths: readonly number[], maxTokens: number, rules: RunRules = {}): number[][] {
  const order = lengths.map((_, index) => index).sort((a, b) => lengthAt(lengths, a) - lengthAt(lengths, b));
  const batches: number[][] = [];
  let current: number[] = [];
  for (const index of order) {
    const [first] = current;
    const length = lengthAt(lengths, index);
    // The texts are sorted, so this text is the longest in the batch and determines its padded width.
    const fits = hasRoom(rules, current.length, length, maxTokens);
    if (first !== undefined && !(fits && canShareRun(rules, lengthAt(lengths, first), length))) {
      batches.push(current);
      current = [];
    }
    current.push(index);
  }
  if (current.length > 0) batches.push(current);
  return batches;
}
