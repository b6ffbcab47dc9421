import { distance } from 'fastest-levenshtein';

/** Returns `; did you mean \`x\`?` for the most similar candidate, or an empty string. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const meant = suggest(written, candidates);
  return meant === undefined ? '' : `; did you mean \`${meant}\`?`;
}

export function suggest(written: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: distance(plain(written), plain(candidate)) }))
    .filter(({ candidate, edits }) => edits <= allowedEdits(candidate) || isBeginning(written, candidate))
    .toSorted((a, b) => a.edits - b.edits);
  return best?.candidate;
}

/**
 * Normalizes spelling, so that `modelType`, `model-type` and `MODEL_TYPE` are equal. Long input is
 * truncated, because it is not similar to any candidate.
 */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .slice(0, 64);
const allowedEdits = (candidate: string): number => Math.min(3, Math.floor(candidate.length / 3));
const isBeginning = (written: string, candidate: string): boolean =>
  plain(written).length >= 4 && plain(candidate).startsWith(plain(written));
