import type { Passed } from '../../providers/shapes/passed.ts';

/**
 * Marks content that has passed the policy. An import rule enforces that only files in this folder use this
 * function.
 */
export const pass = <Content>(content: Content): Passed<Content> => content as Passed<Content>;
