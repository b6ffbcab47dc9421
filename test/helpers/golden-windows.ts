import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** One token of a long text, with its logits or its vector. */
export interface GoldenToken {
  readonly id: number;
  readonly start: number;
  readonly end: number;
  readonly values: readonly number[];
}

/** The tokens of a text, or its vector. */
export type GoldenResult = readonly (GoldenToken | number)[];

interface GoldenModel {
  readonly model: string;
  readonly stride: number;
}

type GoldenGroup = readonly [entity_group: string, score: number, start: number, end: number, word: string];

export interface GoldenWindows {
  readonly maxLength: number;
  /** A text that fits into a window, and one that does not. */
  readonly texts: readonly [short: string, long: string];
  readonly cases: readonly (GoldenModel & { readonly results: readonly GoldenResult[] })[];
  /** One unnormalized vector per text of an embedding model. */
  readonly vectors: readonly (GoldenModel & { readonly results: readonly (readonly number[])[] })[];
  /** The long text truncated at its start to a number of windows. */
  readonly left: readonly (GoldenModel & { readonly windows: number; readonly result: GoldenResult })[];
  /** Entities by aggregation strategy. `overBorders` is the number of entities whose tokens come from different windows. */
  readonly entities: readonly {
    readonly stride: number;
    readonly cases: readonly {
      readonly text: string;
      readonly overBorders: number;
      readonly groups: Readonly<Record<string, readonly GoldenGroup[]>>;
    }[];
  }[];
}

/** Reads the results that fixtures/scripts/make_windows.py computes with transformers and onnxruntime. */
export const readGoldenWindows = (): GoldenWindows =>
  JSON.parse(readFileSync(join(FIXTURES, 'golden/windows.json'), 'utf8')) as GoldenWindows;

/** The numbers in a golden result as one list: for each token its ID, offsets and values. */
export const numbersOfGolden = (result: GoldenResult): number[] =>
  result.flatMap((value) =>
    typeof value === 'number' ? [value] : [value.id, value.start, value.end, ...value.values],
  );

interface TokenResult {
  readonly token_info: { readonly token_id: number; readonly start: number; readonly end: number };
  readonly logits?: readonly number[];
  readonly embedding?: readonly number[];
}

/** A result of any model type, as returned by `/predict` or `infer`. */
export interface WindowedResult {
  readonly tokens?: readonly TokenResult[];
  readonly embeddings?: readonly TokenResult[];
  readonly embedding?: readonly number[];
}

/** The numbers in a result, in the same order. */
export const numbersOfResult = ({ tokens, embeddings, embedding = [] }: WindowedResult): number[] => [
  ...(tokens ?? embeddings ?? []).flatMap(({ token_info: { token_id, start, end }, ...values }) => [
    token_id,
    start,
    end,
    ...(values.logits ?? values.embedding ?? []),
  ]),
  ...embedding,
];
