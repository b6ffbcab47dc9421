import { nanosOf, type Nanos } from '../../shared/money.ts';

export const AMOUNT_RULE = 'an amount in dollars, e.g. 5 or 2.50';

/** Parses `5`, `2.50` or `$5`. Returns undefined if the text is invalid, or so small that it would be rounded to 0. */
export function parseAmount(text: string): Nanos | undefined {
  const nanos = nanosOf(withoutSymbol(text));
  return nanos === 0n && !isZero(text) ? undefined : nanos;
}

/** Returns the rule that an invalid amount breaks. */
export function amountRule(text: string): string {
  if (!/^\d*(?:\.\d*)?(e[+-]?\d+)?$/i.test(withoutSymbol(text)) || isZero(text)) return AMOUNT_RULE;
  return '0 or an amount in dollars from 0.000000001 to 9000000000';
}

const withoutSymbol = (text: string): string => text.trim().replace(/^\$\s*/, '');
const isZero = (text: string): boolean => !/^[^e]*[1-9]/i.test(withoutSymbol(text));
