import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** The results of FlagEmbedding for fixtures/models/m3; fixtures/scripts/make_m3.py made both. */
export interface GoldenM3 {
  readonly results: readonly ThreeVectors[];
  readonly queries: readonly string[];
  /** Scores of each query for the texts of all results, by the weights of the three vectors. */
  readonly ranks: readonly { readonly weights: Weights; readonly scores: readonly number[][] }[];
  /** Vectors of the first text that are not normalized, with five dimensions. */
  readonly raw_5: Pick<ThreeVectors, 'embedding' | 'vectors'>;
  /** Files that torch has written, and what is in them. */
  readonly files: readonly { readonly name: string; readonly tensors: Readonly<Record<string, SavedTensor>> }[];
}

interface ThreeVectors {
  readonly text: string;
  readonly embedding: readonly number[];
  readonly sparse: { readonly indices: readonly number[]; readonly values: readonly number[] };
  readonly vectors: readonly number[][];
}

interface Weights {
  readonly dense: number;
  readonly sparse: number;
  readonly multi_vector: number;
}

interface SavedTensor {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

export const readGoldenM3 = (): GoldenM3 =>
  JSON.parse(readFileSync(join(FIXTURES, 'golden', 'm3.json'), 'utf8')) as GoldenM3;
