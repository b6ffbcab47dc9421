import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** A request, and the response of the transformers pipeline (fixtures/scripts/make_zero_shot.py). */
export interface GoldenZeroShot {
  readonly text: string;
  readonly candidate_labels: readonly string[];
  readonly hypothesis_template?: string;
  readonly multi_label?: boolean;
  /** The model's output for each label in the request. */
  readonly logits: readonly (readonly number[])[];
  /** Sorted by score. */
  readonly labels: readonly string[];
  readonly scores: readonly number[];
}

/** By the order of the model's labels; `nli` is the order in the fixture. */
export const readGoldenZeroShot = () =>
  JSON.parse(readFileSync(join(FIXTURES, 'golden', 'zero-shot.json'), 'utf8')) as Record<
    string,
    { readonly id2label: Record<string, string>; readonly cases: readonly GoldenZeroShot[] }
  >;
