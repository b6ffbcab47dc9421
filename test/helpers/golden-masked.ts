import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

export interface SparseRow {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

interface Splade {
  readonly texts: readonly string[];
  readonly vectors: readonly SparseRow[];
  readonly at_most_5: readonly SparseRow[];
  /** The three largest values of each text with their tokens. */
  readonly decoded: readonly (readonly (readonly [token: string, value: number])[])[];
  /** Similarities of the first text to each text. */
  readonly similarity: readonly number[];
}

/** Results of sentence-transformers for the model `splade`. */
export function readGoldenSplade(): Splade {
  const { splade } = JSON.parse(readFileSync(join(FIXTURES, 'golden/masked.json'), 'utf8')) as {
    splade: Omit<Splade, 'texts'> & { readonly ids: readonly string[] };
  };
  const texts = JSON.parse(readFileSync(join(FIXTURES, 'golden/texts.json'), 'utf8')) as {
    id: string;
    text: string;
  }[];
  return { ...splade, texts: splade.ids.map((id) => texts.find((one) => one.id === id)?.text ?? '') };
}

const VOCABULARY = 2600;

/** All values of sparse vectors, to compare values that are zero in one library and tiny in another. */
export const dense = (rows: readonly SparseRow[]): number[] =>
  rows.flatMap(({ indices, values }) => {
    const vector = Array.from({ length: VOCABULARY }, () => 0);
    for (const [at, index] of indices.entries()) vector[index] = values[at] ?? 0;
    return vector;
  });

interface Candidate {
  readonly score: number;
  readonly token: number;
  readonly token_str: string;
  readonly sequence: string;
}
/** For each text, the candidates of each mask. */
type Candidates = readonly (readonly (readonly Candidate[])[])[];

interface FillMask {
  readonly texts: readonly string[];
  readonly default: Candidates;
  readonly top_2: Candidates;
  readonly targets: readonly string[];
  readonly of_targets: Candidates;
}

/** Results of the transformers pipeline for the model `fill-mask`. */
export const readGoldenMasks = (): FillMask =>
  (
    JSON.parse(readFileSync(join(FIXTURES, 'golden/masked.json'), 'utf8')) as {
      fill_mask: FillMask;
    }
  ).fill_mask;
