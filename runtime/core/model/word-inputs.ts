import type { WordInputName } from '#contract/manifest.ts';

/** The words of a batch of texts. */
export interface WordBatch {
  /**
   * For each token, row by row, the number of its word in the text, from 1; 0 for tokens that do
   * not represent a word.
   */
  readonly mask: Int32Array;
  /** Number of words in each text, at least 1. */
  readonly counts: Int32Array;
}

/** Values of an integer or boolean tensor. */
export interface WordInput {
  readonly values: Int32Array | Uint8Array;
  readonly dims: readonly number[];
}

/**
 * Creates the word inputs for a batch. They list all spans of up to `maxWidth` words; spans beyond
 * the end of a text are masked.
 */
export const WORD_INPUTS: Record<WordInputName, (batch: WordBatch, maxWidth: number) => WordInput> = {
  words_mask: ({ mask, counts }) => ({ values: mask, dims: [counts.length, mask.length / counts.length] }),
  text_lengths: ({ counts }) => ({ values: counts, dims: [counts.length, 1] }),
  span_idx({ counts }, maxWidth) {
    const spans = longest(counts) * maxWidth;
    const values = new Int32Array(counts.length * spans * 2);
    for (const [row, count] of counts.entries()) {
      let at = row * spans * 2;
      for (let start = 0; start < count; start++) {
        for (let width = 0; width < maxWidth; width++, at += 2) {
          // Spans beyond the end of a text get the same index as other padding.
          if (start + width >= count) continue;
          values[at] = start;
          values[at + 1] = start + width;
        }
      }
    }
    return { values, dims: [counts.length, spans, 2] };
  },
  span_mask({ counts }, maxWidth) {
    const spans = longest(counts) * maxWidth;
    const values = new Uint8Array(counts.length * spans);
    for (const [row, count] of counts.entries()) {
      for (let start = 0; start < count; start++) {
        const first = row * spans + start * maxWidth;
        values.fill(1, first, first + Math.min(maxWidth, count - start));
      }
    }
    return { values, dims: [counts.length, spans] };
  },
};

const longest = (counts: Int32Array): number => counts.reduce((most, count) => Math.max(most, count), 0);
