import type { FixedShape } from './fixed-shape.ts';

/**
 * The texts that can share a run of the model without affecting each other's results, from the
 * least to the most restrictive rule: any texts, texts with the same number of tokens, or no texts.
 */
export type Batching = 'any' | 'equal_length' | 'single';

/** The rule in the manifest for which texts can share a run. */
export interface RunRules {
  readonly batching?: Batching | undefined;
  readonly fixedShape?: FixedShape | undefined;
}
