import type { Steps } from '#core/limits/steps.ts';

/**
 * The values found in a request, and where else they occur. A request can contain hundreds of thousands of
 * values.
 */
export interface KnownValues {
  add(value: string): void;
  /** Where values occur in a text as words. Spans can overlap. */
  occurrencesIn(text: string): Steps<ValueSpan[]>;
  /**
   * Position from which the end of a text may be the beginning of a value, or a value whose next character is
   * unknown; the text's length if neither applies.
   */
  openEnd(text: string): number;
}

interface ValueSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Shorter values are only replaced where they were found, because elsewhere they could be parts of other
 * words.
 */
const MIN_REPEATED_LENGTH = 3;
/** Number of words looked up per step. */
const WORDS_PER_STEP = 512;
/** Splits a text into words and the individual characters between the words. */
const WORD_OR_CHARACTER = /[\p{L}\p{N}_]+|[^\p{L}\p{N}_]/uy;
const WORD = /^[\p{L}\p{N}_]/u;

/**
 * Values that start with the same words share a node, so the time to search a text does not depend on the
 * number of values.
 */
interface Node {
  readonly next: Map<string, Node>;
  isValue: boolean;
}
const newNode = (): Node => ({ next: new Map(), isValue: false });

export function createKnownValues(): KnownValues {
  const root = newNode();
  /** Sorted by their characters. */
  const sorted: string[] = [];
  let unsorted: string[] = [];
  let maxLength = 0;
  return {
    add(value) {
      if (value === '') return;
      unsorted.push(value);
      maxLength = Math.max(maxLength, value.length);
      if (value.length < MIN_REPEATED_LENGTH) return;
      let node = root;
      for (let start = 0; start < value.length; start = wordEnd(value, start)) {
        const word = value.slice(start, wordEnd(value, start));
        const known = node.next.get(word) ?? newNode();
        node.next.set(word, known);
        node = known;
      }
      node.isValue = true;
    },
    *occurrencesIn(text) {
      const found: ValueSpan[] = [];
      if (root.next.size === 0) return found;
      let work = 0;
      for (let start = 0; start < text.length; start = wordEnd(text, start)) {
        let end = wordEnd(text, start);
        let node = root.next.get(text.slice(start, end));
        while (node) {
          if (node.isValue && isWhole(text, start, end)) found.push({ start, end });
          const from = end;
          end = wordEnd(text, from);
          node = node.next.get(text.slice(from, end));
          work += 1;
        }
        work += 1;
        if (work < WORDS_PER_STEP) continue;
        work = 0;
        yield;
      }
      return found;
    },
    openEnd(text) {
      if (unsorted.length > 0) {
        for (const value of unsorted) sorted.push(value);
        sorted.sort();
        unsorted = [];
      }
      for (let at = Math.max(0, text.length - maxLength); at < text.length; at += 1)
        if (isBeginning(sorted, text.slice(at))) return at;
      return text.length;
    },
  };
}

/** The end of the word or character at a position. */
function wordEnd(text: string, start: number): number {
  WORD_OR_CHARACTER.lastIndex = start;
  return WORD_OR_CHARACTER.test(text) ? WORD_OR_CHARACTER.lastIndex : start + 1;
}

/** Whether the characters before and after the value belong to other words. */
const isWhole = (text: string, start: number, end: number): boolean =>
  !WORD.test(characterBefore(text, start)) && !WORD.test(text.slice(end, end + 2));

const characterBefore = (text: string, at: number): string => {
  const isPair = /[\uDC00-\uDFFF]/.test(text.slice(Math.max(0, at - 1), at));
  return text.slice(Math.max(0, isPair ? at - 2 : at - 1), at);
};

/** Whether any value in a sorted list starts with this text. */
function isBeginning(sorted: readonly string[], beginning: string): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < beginning) low = middle + 1;
    else high = middle;
  }
  return sorted[low]?.startsWith(beginning) ?? false;
}
