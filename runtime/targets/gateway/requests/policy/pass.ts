import type { Passed } from '../../providers/shapes/passed.ts';

/** Marks content that has passed the policy. Only files in this folder use it, which an import rule enforces. */
export const pass = <Content>(content: Content): Passed<Content> => content as Passed<Content>;
