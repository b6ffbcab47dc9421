import { type Finding, note, ok, problem } from '#serve/cli/doctor/finding.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import { findModelKey } from '../../accounts/ledger/model-key.ts';
import type { PriceMap } from '../../accounts/price-map/price-map.ts';
import type { ModelsConfig } from '../../requests/models/models-config.ts';
import { parseModel } from '../../shared/model-string.ts';

/** Reports targets of aliases that have no price: requests for them are rejected, or their cost is not counted. */
export function checkPrices(
  config: Pick<ModelsConfig, 'providers' | 'aliases' | 'pricing' | 'requirePricing' | 'allowUnpriced'>,
  stored: readonly Pick<Price, 'modelKey'>[] | undefined,
  priceMap: Pick<PriceMap, 'find'>,
): Finding[] {
  const { aliases, pricing, requirePricing, allowUnpriced } = config;
  // A problem of the database is already reported.
  if (!stored) return [];
  const listedAs = new Map(
    config.providers.map((provider) => [
      provider.name,
      'listedAs' in provider ? provider.listedAs : undefined,
    ]),
  );
  const isListed = (key: string): boolean => {
    const name = parseModel(key);
    const provider = name && listedAs.get(name.provider);
    return provider !== undefined && priceMap.find(provider, name?.model ?? '')?.price !== undefined;
  };
  const known = new Set([...stored, ...pricing].map(({ modelKey }) => modelKey));
  const used = aliases.flatMap(({ targets, fallbacks = [] }) => [
    ...targets.map(({ model }) => model),
    ...fallbacks,
  ]);
  const missing = [...new Set(used.map(findModelKey))].filter((key) => !known.has(key) && !isListed(key));
  if (missing.length === 0)
    return used.length === 0 ? [] : [ok('prices', 'all models of aliases have a price')];
  const message = `no price for ${missing.join(', ')}`;
  const wayOut = 'Set it with `gateway pricing set <model> --input <dollars> --output <dollars>`.';
  if (requirePricing) return [problem('prices', `${message}, so requests for them are rejected`, wayOut)];
  const effect = allowUnpriced
    ? 'so their cost is not counted in budgets'
    : 'so requests under a budget are rejected';
  return [{ ...note('prices', `${message}, ${effect}`), wayOut }];
}
