import { nanosOf, type Nanos } from '../../../../core/money.ts';

export const AMOUNT_RULE = 'an amount in dollars, as 5 or 2.50';

/** `5`, `2.50`, `$5`. Undefined if it is none. */
export const parseAmount = (text: string): Nanos | undefined => nanosOf(text.trim().replace(/^\$\s*/, ''));
