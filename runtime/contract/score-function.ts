/** How scores follow from the logits of a sequence classification model. `none`: the logits themselves are the scores. */
export const SCORE_FUNCTIONS = ['softmax', 'sigmoid', 'none'] as const;
export type ScoreFunction = (typeof SCORE_FUNCTIONS)[number];
