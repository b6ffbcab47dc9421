/** Metrics that measure errors. */
const LOWER_IS_BETTER = /^(?:log_loss|brier_score|ece|hamming_loss|wer|cer)(?:_|$)/;

export const isLowerBetter = (metric: string): boolean => LOWER_IS_BETTER.test(metric);
