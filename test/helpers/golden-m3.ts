import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { expectClose } from './close.ts';
import { FIXTURES } from './paths.ts';

/** The results of FlagEmbedding for fixtures/models/m3; fixtures/scripts/make_m3.py created both. */
export interface GoldenM3 {
  readonly results: readonly ThreeVectors[];
  readonly queries: readonly string[];
  /** Scores of each query for the texts of all results, by the weights of the three vectors. */
  readonly ranks: readonly { readonly weights: Weights; readonly scores: readonly number[][] }[];
  /** Unnormalized vectors of the first text, with five dimensions. */
  readonly raw_5: Pick<ThreeVectors, 'embedding' | 'vectors'>;
  /** Files written by torch, and their content. */
  readonly files: readonly {
    readonly name: string;
    readonly tensors: Readonly<Record<string, SavedTensor>>;
  }[];
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

/** A result with the requested outputs; over gRPC, a token vector is a message. */
export interface OutputsRow {
  readonly embedding?: readonly number[];
  readonly sparse?: ThreeVectors['sparse'] & { readonly tokens?: readonly string[] };
  readonly vectors?: readonly (readonly number[] | { readonly values: readonly number[] })[];
}

type Vector = NonNullable<OutputsRow['vectors']>[number];
const isMessage = (vector: Vector): vector is { readonly values: readonly number[] } =>
  !Array.isArray(vector);

/** Expects exactly these outputs, with the values of FlagEmbedding. */
export function expectOutputs(
  rows: readonly OutputsRow[],
  expected: readonly ThreeVectors[],
  outputs: readonly string[],
  what: string,
): void {
  expect(rows).toHaveLength(expected.length);
  for (const [at, { embedding = [], sparse, vectors = [] }] of rows.entries()) {
    const other = expected[at];
    const has = (name: string): boolean => outputs.includes(name);
    const label = `${what}: ${other?.text}`;
    expectClose(embedding, has('dense') ? other?.embedding : [], label);
    expect(sparse?.indices ?? [], label).toEqual(has('sparse') ? other?.sparse.indices : []);
    expectClose(sparse?.values ?? [], has('sparse') ? other?.sparse.values : [], label);
    const values = vectors.map((vector) => (isMessage(vector) ? vector.values : vector));
    const wanted = has('multi_vector') ? other?.vectors : [];
    expect(values.length, label).toBe(wanted?.length);
    expectClose(values.flat(), wanted?.flat(), label);
  }
}
