/** What was done with a text: it was blocked, only reported, or masked. */
export const HIT_MODES = ['block', 'monitor', 'mask'] as const;
