const DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 9,
});

/**
 * An amount with all its digits, where parts must add up: $0.00325.
 * @param {number | null} value
 */
export const exactMoney = (value) => (value === null ? '–' : DOLLARS.format(value));
