/**
 * Functions that convert logits to scores in sequence classification models. With `none`, the
 * scores are the logits.
 */
export const SCORE_FUNCTIONS = ['softmax', 'sigmoid', 'none'] as const;
export type ScoreFunction = (typeof SCORE_FUNCTIONS)[number];
