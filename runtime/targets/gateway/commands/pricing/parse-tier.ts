import type { Nanos } from '../../shared/money.ts';
import type { PriceTier } from '../../shared/token-price.ts';
import { UsageError } from '#serve/cli/command.ts';
import { AMOUNT_RULE, parseAmount } from '../options/amount.ts';
import { isOneOf } from '#core/values/is-one-of.ts';

/** Names of the prices in a tier, the same as the options of `pricing set`. */
const NAMES = ['input', 'output', 'cached-input', 'cache-write', 'cache-write-1h'] as const;
type Name = (typeof NAMES)[number];

/** Parses `200000:input=6,output=22.50`, the prices of requests whose prompt has more than 200000 tokens. */
export function parseTier(text: string): PriceTier {
  const [, above, list] = /^\s*(\d{1,15})\s*:(.*)$/s.exec(text) ?? [];
  if (above === undefined || list === undefined)
    throw wrong(text, 'is not a tier, e.g. 200000:input=6,output=22.50');
  const amounts = new Map<Name, Nanos>();
  for (const part of list.split(',')) {
    const [name = '', value = ''] = part.split('=', 2).map((word) => word.trim());
    if (!isName(name))
      throw wrong(text, `has the unknown price ${JSON.stringify(name)}; use ${NAMES.join(', ')}`);
    if (amounts.has(name)) throw wrong(text, `has ${name} twice; remove one of them`);
    const amount = parseAmount(value);
    if (amount === undefined) throw wrong(text, `has ${name}=${value}, which is not ${AMOUNT_RULE}`);
    amounts.set(name, amount);
  }
  const required = (name: Name): Nanos => {
    const amount = amounts.get(name);
    if (amount === undefined) throw wrong(text, `has no ${name}, e.g. ${above}:input=6,output=22.50`);
    return amount;
  };
  return {
    aboveTokens: Number(above),
    input: required('input'),
    output: required('output'),
    cachedInput: amounts.get('cached-input') ?? null,
    cacheWrite: amounts.get('cache-write') ?? null,
    cacheWrite1h: amounts.get('cache-write-1h') ?? null,
  };
}

const isName = (name: string): name is Name => isOneOf(NAMES, name);

const wrong = (text: string, problem: string): UsageError =>
  new UsageError(`--tier: ${JSON.stringify(text)} ${problem}.`);
