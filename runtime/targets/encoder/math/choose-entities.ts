import type { EntitySpan } from './entity-candidates.ts';

/** Specifies which entities can overlap. */
export interface OverlapRules {
  /** Whether entities must not overlap at all. Otherwise, an entity can be nested in another one. */
  readonly flat: boolean;
  /** Whether the same words can have several types. */
  readonly multiLabel: boolean;
}

/**
 * Chooses spans in descending order of their scores, skips spans that overlap a chosen one in a way
 * that is not allowed, and returns the chosen spans by start position. Spans with equal scores keep
 * the order of the candidates. The time to check a span is proportional to its number of words,
 * because a low threshold can produce millions of candidates.
 */
export function chooseEntities(
  candidates: readonly EntitySpan[],
  { flat, multiLabel }: OverlapRules,
): EntitySpan[] {
  const words = candidates.reduce((most, { end }) => Math.max(most, end + 1), 0);
  const chosen = flat ? new FlatSpans(words) : new NestedSpans(words);
  return candidates
    .toSorted((one, other) => other.score - one.score)
    .filter(({ start, end }) => {
      if (chosen.has(start, end) ? !multiLabel : chosen.overlaps(start, end)) return false;
      chosen.add(start, end);
      return true;
    })
    .toSorted((one, other) => one.start - other.start);
}

interface ChosenSpans {
  has(start: number, end: number): boolean;
  overlaps(start: number, end: number): boolean;
  add(start: number, end: number): void;
}

/** Spans that share no word. */
class FlatSpans implements ChosenSpans {
  readonly #taken: Uint8Array;
  /** For each word, the end of the chosen span that starts there; -1 if there is none. */
  readonly #ends: Int32Array;

  constructor(words: number) {
    this.#taken = new Uint8Array(words);
    this.#ends = new Int32Array(words).fill(-1);
  }

  has(start: number, end: number): boolean {
    return this.#ends[start] === end;
  }

  overlaps(start: number, end: number): boolean {
    return this.#taken.subarray(start, end + 1).includes(1);
  }

  add(start: number, end: number): void {
    this.#taken.fill(1, start, end + 1);
    this.#ends[start] = end;
  }
}

/** Spans that share no words, or that are nested in one another. */
class NestedSpans implements ChosenSpans {
  readonly #spans = new Set<number>();
  readonly #words: number;
  /**
   * For each word, the last end of the spans that start there, and the first start of those that
   * end there.
   */
  readonly #lastEnd: Int32Array;
  readonly #firstStart: Int32Array;

  constructor(words: number) {
    this.#words = words;
    this.#lastEnd = new Int32Array(words).fill(-1);
    this.#firstStart = new Int32Array(words).fill(words);
  }

  has(start: number, end: number): boolean {
    return this.#spans.has(start * this.#words + end);
  }

  overlaps(start: number, end: number): boolean {
    const reachesBeyond = this.#lastEnd.subarray(start + 1, end + 1).some((last) => last > end);
    return reachesBeyond || this.#firstStart.subarray(start, end).some((first) => first < start);
  }

  add(start: number, end: number): void {
    this.#spans.add(start * this.#words + end);
    this.#lastEnd[start] = Math.max(this.#lastEnd[start] ?? end, end);
    this.#firstStart[end] = Math.min(this.#firstStart[end] ?? start, start);
  }
}
