import type { FixedShape } from './fixed-shape.ts';

/**
 * Which texts can share a run of the model without affecting each other's results, from the least to the most restrictive: any
 * texts, texts with the same number of tokens, or none.
 */
export type Batching = 'any' | 'equal_length' | 'single';

/** The rules for which texts share a run: a part of the manifest. */
export interface RunRules {
  readonly batching?: Batching | undefined;
  readonly fixedShape?: FixedShape | undefined;
}
