/** Metrics whose lower values are better. */
const LOWER_IS_BETTER = /^(log_loss|brier_score|ece|hamming_loss|wer|cer)(_|$)/;

/** @param {string} metric */
export const isLowerBetter = (metric) => LOWER_IS_BETTER.test(metric);

/**
 * A metric with three digits, as in the tables of the command line.
 * @param {number | null | undefined} value
 */
export const metricText = (value) =>
  value === null || value === undefined ? '–' : Math.abs(value) >= 1000 ? value.toFixed(0) : value.toFixed(3);

/** @param {{ low: number, high: number } | null | undefined} interval */
export const intervalText = (interval) =>
  interval ? `[${metricText(interval.low)}, ${metricText(interval.high)}]` : '';

/**
 * A probability that a difference is chance.
 * @param {number | null} p
 */
export const probabilityText = (p) => (p === null ? '–' : p < 0.001 ? '<0.001' : p.toFixed(3));

/** Differences with a lower adjusted p-value are more than chance. */
export const SIGNIFICANT = 0.05;
