import type { Finding } from './finding.ts';

/** Finds injections in the texts of a value with a model. */
export type Classify = (value: unknown) => Promise<readonly Finding[]>;
