import { didYouMean } from '#core/text/suggest.ts';
import { keysOf } from '#core/values/keys.ts';
import { UsageError } from '#serve/cli/command.ts';
import { readUnits, UNIT_FIELDS } from '../../accounts/ledger/price-units.ts';
import type { Nanos } from '../../shared/money.ts';
import type { UnitRates } from '../../shared/unit-price.ts';
import { AMOUNT_RULE, parseAmount } from '../options/amount.ts';

/** Names of units on the command line: those of the fields without the words that all have. */
const NAMES = new Map(
  keysOf(UNIT_FIELDS).map((name) => [
    UNIT_FIELDS[name].replace(/_price(_per_million)?$/, '').replaceAll('_', '-'),
    UNIT_FIELDS[name],
  ]),
);

/** Reads the values of `--unit`, e.g. `web-search=0.01`. */
export function parseUnits(texts: readonly string[]): UnitRates | undefined {
  const amounts = new Map<string, Nanos>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = at === -1 ? text : text.slice(0, at);
    const field = NAMES.get(name);
    if (field === undefined)
      throw new UsageError(
        `--unit: ${JSON.stringify(name)} is not one of ${[...NAMES.keys()].join(', ')}${didYouMean(name, [...NAMES.keys()]) || '.'}`,
      );
    const amount = at === -1 ? undefined : parseAmount(text.slice(at + 1));
    if (amount === undefined)
      throw new UsageError(`--unit: the price of ${name} is not ${AMOUNT_RULE}; write ${name}=0.01.`);
    amounts.set(field, amount);
  }
  return readUnits((field) => amounts.get(field));
}
