const PERCENT = new Intl.NumberFormat('en', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/**
 * Formats a share as a percentage, such as 97.3%; never "0.0%" for a share above zero.
 * @param {number} share
 */
export const percent = (share) => (share > 0 && share < 0.0005 ? '<0.1%' : PERCENT.format(share));

/** @param {number} value */
export const milliseconds = (value) => `${value.toFixed(value < 9.95 ? 1 : 0)} ms`;

/**
 * Formats a cosine, with a minus sign as wide as a digit.
 * @param {number} value
 */
export const cosineText = (value) => value.toFixed(2).replace('-0.00', '0.00').replace('-', '\u2212');
