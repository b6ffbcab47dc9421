import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './paths.ts';

/** A folder in fixtures/causal-rerankers; fixtures/scripts/make_causal_rerankers.py created it and the scores. */
interface CausalRerankerModel {
  readonly name: string;
  /** Number of tokens of each pair, including the prompt. */
  readonly lengths: readonly number[];
  readonly logits: readonly number[];
  /** The same with an instruction; undefined if the prompt has no place for one. */
  readonly instructed?: readonly number[];
}

interface GoldenCausalRerankers {
  readonly pairs: readonly { readonly query: string; readonly document: string }[];
  readonly instruction: string;
  readonly models: readonly CausalRerankerModel[];
}

export const readGoldenCausalRerankers = (): GoldenCausalRerankers =>
  JSON.parse(
    readFileSync(join(FIXTURES, 'golden', 'causal-rerankers.json'), 'utf8'),
  ) as GoldenCausalRerankers;

export const causalRerankerFolder = (name: string): string => join(FIXTURES, 'causal-rerankers', name);
