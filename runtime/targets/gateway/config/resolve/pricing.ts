import { type Nanos, nanosOf } from '../../../../core/money.ts';
import { parseTimestamp } from '../../../../core/timestamp.ts';
import type { NewPrice } from '../../ledger/api.ts';
import { tryModelKey } from '../../ledger/model-key.ts';
import type { PriceEntry } from '../schemas/prices.ts';
import { DOLLARS_RULE } from '../schemas/shapes.ts';
import type { Path, ResolveContext } from './context.ts';
import { type KnownNames, whyNoModel } from './model-names.ts';

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
    const trouble = whyNoModel(key, names);
    if (trouble !== undefined) context.warn(`pricing: ${JSON.stringify(key)}: ${trouble}.`);
    const amount = (name: keyof PriceEntry): Nanos => dollarsIn(context, [...path, name], entry[name]);
    const { cached_input_price_per_million: cached, effective_at: from } = entry;
    return {
      modelKey,
      input: amount('input_price_per_million'),
      output: amount('output_price_per_million'),
      cachedInput: cached === undefined ? null : amount('cached_input_price_per_million'),
      effectiveAt: from === undefined ? undefined : timeOf(context, [...path, 'effective_at'], from),
    };
  });
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
