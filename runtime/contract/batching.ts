/**
 * Which texts can share a run of the model without changing each other's results, the least strict first: any texts, texts with
 * the same number of tokens, or none.
 */
export type Batching = 'any' | 'equal_length' | 'single';

/** For tables that people read. */
export const BATCHING_TEXT: Readonly<Record<Batching, string>> = {
  any: 'any texts together',
  equal_length: 'only texts with the same number of tokens together',
  single: 'one text at a time, because batching changes the results of this model',
};
