import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** A request, and what transformers' pipeline answers; fixtures/scripts/make_zero_shot.py made it. */
export interface GoldenZeroShot {
  readonly text: string;
  readonly candidate_labels: readonly string[];
  readonly hypothesis_template?: string;
  readonly multi_label?: boolean;
  /** The output of the model for each label of the request. */
  readonly logits: readonly (readonly number[])[];
  /** Sorted by score. */
  readonly labels: readonly string[];
  readonly scores: readonly number[];
}

/** By the order of the labels of the model; `nli` is that of the fixture. */
export const readGoldenZeroShot = () =>
  JSON.parse(readFileSync(join(FIXTURES, 'golden', 'zero-shot.json'), 'utf8')) as Record<
    string,
    { readonly id2label: Record<string, string>; readonly cases: readonly GoldenZeroShot[] }
  >;
