/** Function from logits to scores, for sequence classification models. With `none`, scores are the logits. */
export const SCORE_FUNCTIONS = ['softmax', 'sigmoid', 'none'] as const;
export type ScoreFunction = (typeof SCORE_FUNCTIONS)[number];
