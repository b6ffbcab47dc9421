import { type Invocation, type Option, UsageError } from '../../../../serve/cli/command.ts';
import type { Nanos, TokenPrice } from '../../../../core/money.ts';
import { parseTimestamp } from '../../../../core/timestamp.ts';
import { amountRule, parseAmount } from '../options/amount.ts';
import { clearableValue, optionValue } from '../options/option-value.ts';

/** What a model costs. */
export const PRICE_OPTIONS = {
  input: { value: 'amount', help: 'Dollars for a million tokens of input' },
  'cached-input': {
    value: 'amount',
    help: 'Of input that the provider still had in its cache; else as any other',
  },
  output: { value: 'amount', help: 'Dollars for a million tokens of output' },
  effective: { value: 'date', help: 'From when on, as 2027-01-31 or 2027-01-31T12:00:00Z; else from now on' },
} satisfies Readonly<Record<string, Option>>;

export const priceOf = (invocation: Invocation): TokenPrice => ({
  input: needed(invocation, 'input'),
  output: needed(invocation, 'output'),
  cachedInput: clearableValue(invocation, 'cached-input', { rule: amountRule, parse: parseAmount }) ?? null,
});

export const effectiveOf = (invocation: Invocation): number | undefined =>
  optionValue(invocation, 'effective', {
    rule: 'a date, as 2027-01-31, or a time with its zone, as 2027-01-31T12:00:00Z',
    parse: parseTimestamp,
  });

function needed(invocation: Invocation, name: 'input' | 'output'): Nanos {
  const amount = optionValue(invocation, name, { rule: amountRule, parse: parseAmount });
  if (amount === undefined)
    throw new UsageError(`--${name} <amount> is missing: dollars for a million tokens.`);
  return amount;
}
