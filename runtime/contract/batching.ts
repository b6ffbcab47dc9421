/**
 * Which texts can share a run of the model without affecting each other's results, from the least to the most restrictive: any
 * texts, texts with the same number of tokens, or none.
 */
export type Batching = 'any' | 'equal_length' | 'single';

/** Descriptions for tables. */
export const BATCHING_TEXT: Readonly<Record<Batching, string>> = {
  any: 'any texts together',
  equal_length: 'only texts with the same number of tokens together',
  single: 'one text at a time, because batching changes the results of this model',
};
