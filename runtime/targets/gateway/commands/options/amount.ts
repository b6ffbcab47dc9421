import { nanosOf, type Nanos } from '../../shared/money.ts';

export const AMOUNT_RULE = 'an amount in dollars, as 5 or 2.50';

/** `5`, `2.50`, `$5`. Undefined if it is none, and if nothing would be left of it. */
export function parseAmount(text: string): Nanos | undefined {
  const nanos = nanosOf(bare(text));
  return nanos === 0n && !isNothing(text) ? undefined : nanos;
}

/** What is wrong with a text that is no amount. */
export function amountRule(text: string): string {
  if (!/^\d*\.?\d*(e[+-]?\d+)?$/i.test(bare(text)) || isNothing(text)) return AMOUNT_RULE;
  return `${AMOUNT_RULE}, from 0.000000001 to 9000000000, or 0`;
}

const bare = (text: string): string => text.trim().replace(/^\$\s*/, '');
const isNothing = (text: string): boolean => !/[1-9]/.test(bare(text).replace(/e.*$/i, ''));
