import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import type { Nanos } from '../../shared/money.ts';
import type { TokenPrice } from '../../shared/token-price.ts';
import { parseTimestamp } from '#core/time/timestamp.ts';
import { amountRule, parseAmount } from '../options/amount.ts';
import { clearableValue, optionValue } from '../options/option-value.ts';
import { parseTier } from './parse-tier.ts';
import { parseUnits } from './parse-units.ts';

/** Options of `pricing set`, in dollars per million tokens. */
export const PRICE_OPTIONS = {
  input: { value: 'amount', help: 'Price per million input tokens, in dollars' },
  'cached-input': {
    value: 'amount',
    help: "Price of input read from the provider's cache (default: --input)",
  },
  'cache-write': {
    value: 'amount',
    help: "Price of input written to the provider's cache, with Anthropic for 5 minutes (default: --input)",
  },
  'cache-write-1h': {
    value: 'amount',
    help: "Price of input written to the provider's cache for 1 hour (default: --cache-write)",
  },
  output: { value: 'amount', help: 'Price per million output tokens, in dollars' },
  tier: {
    value: 'prices',
    help: 'Prices above a prompt length, e.g. 200000:input=6,output=22.50,cached-input=0.60',
    repeatable: true,
  },
  unit: {
    value: 'name=amount',
    help: 'Price of what is not billed by tokens, e.g. web-search=0.01, image=0.04 or image-output=40',
    repeatable: true,
  },
  effective: {
    value: 'date',
    help: 'When the price starts to apply, e.g. 2027-01-31 or 2027-01-31T12:00:00Z (default: now)',
  },
} satisfies Readonly<Record<string, Option>>;

export const priceOf = (invocation: Invocation): TokenPrice => ({
  input: required(invocation, 'input'),
  output: required(invocation, 'output'),
  cachedInput: optional(invocation, 'cached-input'),
  cacheWrite: optional(invocation, 'cache-write'),
  cacheWrite1h: optional(invocation, 'cache-write-1h'),
  tiers: invocation.values('tier').map(parseTier),
  units: parseUnits(invocation.values('unit')),
});

const optional = (invocation: Invocation, name: 'cached-input' | 'cache-write' | 'cache-write-1h') =>
  clearableValue(invocation, name, { rule: amountRule, parse: parseAmount }) ?? null;

export const effectiveOf = (invocation: Invocation): number | undefined =>
  optionValue(invocation, 'effective', {
    rule: 'a date, e.g. 2027-01-31, or a time with its zone, e.g. 2027-01-31T12:00:00Z',
    parse: parseTimestamp,
  });

function required(invocation: Invocation, name: 'input' | 'output'): Nanos {
  const amount = optionValue(invocation, name, { rule: amountRule, parse: parseAmount });
  if (amount === undefined) throw new UsageError(`--${name} is required, in dollars per million tokens.`);
  return amount;
}
