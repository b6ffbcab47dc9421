import type { EntitySettings } from '#contract/entity-settings.ts';

/** A range of words that can be an entity. */
export interface EntitySpan {
  readonly start: number;
  readonly end: number;
  /** Index of the entity type. */
  readonly type: number;
  readonly score: number;
}

/** The model output for one text. */
export interface EntityOutput {
  /** Logits by word, then by width and type; or by word, type and position (start, end, inside). */
  readonly logits: Float32Array;
  readonly words: number;
  readonly types: number;
}

/**
 * Returns all spans whose score is above the threshold, in the same order as the decoder of the
 * gliner package.
 */
export function entityCandidates(
  output: EntityOutput,
  { level, maxWidth }: Pick<EntitySettings, 'level' | 'maxWidth'>,
  threshold: number,
): EntitySpan[] {
  return level === 'span' ? fromSpans(output, maxWidth, threshold) : fromWords(output, threshold);
}

function fromSpans(
  { logits, words, types }: EntityOutput,
  maxWidth: number,
  threshold: number,
): EntitySpan[] {
  const minimum = Math.fround(threshold);
  const spans: EntitySpan[] = [];
  for (let start = 0; start < words; start++) {
    for (let end = start; end < Math.min(start + maxWidth, words); end++) {
      for (let type = 0; type < types; type++) {
        const score = sigmoid(logits[(start * maxWidth + end - start) * types + type] ?? 0);
        if (score > minimum) spans.push({ start, end, type, score });
      }
    }
  }
  return spans;
}

/** The score of a span is the lowest of its start score, its end score and the inside scores of its words. */
function fromWords({ logits, words, types }: EntityOutput, threshold: number): EntitySpan[] {
  const scores = Float32Array.from(logits, sigmoid);
  const at = (word: number, type: number, position: number): number =>
    scores[(word * types + type) * POSITIONS + position] ?? 0;
  const minimum = Math.fround(threshold);
  const spans: EntitySpan[] = [];
  for (let start = 0; start < words; start++) {
    for (let type = 0; type < types; type++) {
      const atStart = at(start, type, START);
      if (atStart <= minimum) continue;
      let lowest = atStart;
      for (let end = start; end < words; end++) {
        const inside = at(end, type, INSIDE);
        if (inside < threshold) break;
        lowest = Math.min(lowest, inside);
        const atEnd = at(end, type, END);
        if (atEnd > minimum) spans.push({ start, end, type, score: Math.min(lowest, atEnd) });
      }
    }
  }
  return spans;
}

const POSITIONS = 3;
const [START, END, INSIDE] = [0, 1, 2];

const sigmoid = (logit: number): number => Math.fround(1 / (1 + Math.exp(-logit)));
