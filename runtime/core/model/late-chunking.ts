import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { TokenizedText } from './tokenized-text.ts';

/** The first token of a part of a text and the end of its tokens (exclusive). */
export type TokenRange = readonly [from: number, to: number];

/**
 * The reason why the vectors of a text's parts cannot be pooled from one run; undefined if they
 * can. Other kinds of pooling use tokens of the whole text, and models that pool their vectors
 * themselves return no token vectors.
 */
export function lateChunkingProblem({
  name,
  sentence,
  transform,
  images,
}: Pick<Manifest, 'name' | 'sentence' | 'transform' | 'images'>): string | undefined {
  const pooling = [sentence?.pooling ?? 'mean'].flat().join('+');
  const rule = 'late_chunking requires mean pooling of token vectors';
  if (images) return `${rule}, but ${name} reads images. Remove it.`;
  if (pooling !== 'mean') {
    return `${rule}, but the pooling of ${name} is ${pooling}. Remove it.`;
  }
  if (sentence && transform) return `${rule}, but a transform pools the vectors of ${name}. Remove it.`;
  return undefined;
}

/**
 * The tokens of each part of a text. `lengths` are the lengths of the parts, and `start` is the
 * length of the prompt before them, in Unicode code points. A token belongs to the part that
 * contains its last character, because tokens can start with the space before a word. Special
 * tokens belong to no part.
 */
export function tokensOfParts(
  { details }: Pick<TokenizedText, 'details'>,
  lengths: readonly number[],
  start: number,
): TokenRange[] {
  if (!details) throw new Error('tokenized without details');
  const { special, offsets } = details;
  const end = special.lastIndexOf(0) + 1;
  const advance = (from: number, character: number): number => {
    let at = from;
    while (at < end && lastCharacter(offsets, at) < character) at += 1;
    return at;
  };
  let character = start;
  let at = advance(Math.max(0, special.indexOf(0)), start);
  return lengths.map((length, part) => {
    const from = at;
    character += length;
    at = advance(from, character);
    if (at > from) return [from, at];
    throw inputError(
      `input/${part} has no tokens, so it has no vector of its own with late_chunking. Join it with the part before or after it.`,
    );
  });
}

const lastCharacter = (offsets: Uint32Array, token: number): number =>
  Math.max(offsets[token * 2] ?? 0, (offsets[token * 2 + 1] ?? 0) - 1);
