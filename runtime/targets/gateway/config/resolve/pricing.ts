import { type Nanos, nanosOf } from '../../shared/money.ts';
import type { TokenRates } from '../../shared/price.ts';
import { parseTimestamp } from '#core/time/timestamp.ts';
import type { NewPrice } from '../../accounts/ledger/ledger.ts';
import { tryModelKey } from '../../accounts/ledger/model-key.ts';
import { type RateField, readRates, TIER_FIELD } from '../../accounts/ledger/price-fields.ts';
import { readUnits } from '../../accounts/ledger/price-units.ts';
import { tierProblem } from '../../accounts/ledger/price-tiers.ts';
import type { PriceEntry } from '../schemas/prices.ts';
import { DOLLARS_RULE } from '../schemas/shapes.ts';
import type { Path, ResolveContext } from './context.ts';
import { type KnownNames, modelProblem } from './model-names.ts';

export function resolvePricing(
  context: ResolveContext,
  pricing: Readonly<Record<string, PriceEntry>>,
  names: KnownNames,
): NewPrice[] {
  return Object.entries(pricing).flatMap(([key, entry]) => {
    const path = ['pricing', key];
    const modelKey = tryModelKey(key);
    if (modelKey === undefined) {
      context.report(path, 'expected `provider:model`', 'key');
      return [];
    }
    const unknown = modelProblem(key, names);
    if (unknown !== undefined) context.warn(`pricing: ${JSON.stringify(key)}: ${unknown}.`);
    const { effective_at: from, tiers = [] } = entry;
    const resolved = {
      modelKey,
      ...ratesIn(context, path, entry),
      units: readUnits((field) =>
        entry[field] === undefined ? null : dollarsIn(context, [...path, field], entry[field]),
      ),
      tiers: tiers.map((tier, index) => ({
        aboveTokens: tier[TIER_FIELD],
        ...ratesIn(context, [...path, 'tiers', String(index)], tier),
      })),
      effectiveAt: from === undefined ? undefined : timeOf(context, [...path, 'effective_at'], from),
    };
    const problem = tierProblem(resolved);
    if (problem !== undefined) context.report([...path, 'tiers'], problem);
    return resolved;
  });
}

type RateEntry = Readonly<Partial<Record<RateField, string | number>>>;

function ratesIn(context: ResolveContext, path: Path, entry: RateEntry): TokenRates {
  const amount = (field: RateField): Nanos => dollarsIn(context, [...path, field], entry[field]);
  return readRates(amount, (field) => (entry[field] === undefined ? null : amount(field)));
}

function dollarsIn({ report }: ResolveContext, path: Path, value: string | number | undefined): Nanos {
  const nanos = nanosOf(String(value ?? ''));
  if (nanos === undefined) report(path, `expected ${DOLLARS_RULE}, found ${JSON.stringify(value)}`);
  return nanos ?? 0n;
}

function timeOf({ report }: ResolveContext, path: Path, text: string): number {
  const found = parseTimestamp(text);
  if (found === undefined)
    report(
      path,
      `expected a date or time such as 2026-01-31 or 2026-01-31T08:00:00Z, found ${JSON.stringify(text)}`,
    );
  return found ?? 0;
}
