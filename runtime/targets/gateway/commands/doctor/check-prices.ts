import { type Finding, note, ok, problem } from '../../../../serve/cli/doctor/finding.ts';
import type { ModelsConfig } from '../../ask/models/models-config.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import { findModelKey } from '../../accounts/ledger/model-key.ts';

/** Reports targets of aliases that have no price: requests for them are refused, or their cost is not counted. */
export function checkPrices(
  config: Pick<ModelsConfig, 'aliases' | 'pricing' | 'requirePricing' | 'allowUnpriced'>,
  stored: readonly Pick<Price, 'modelKey'>[] | undefined,
): Finding[] {
  const { aliases, pricing, requirePricing, allowUnpriced } = config;
  // A problem of the database is already reported.
  if (!stored) return [];
  const known = new Set([...stored, ...pricing].map(({ modelKey }) => modelKey));
  const used = aliases.flatMap(({ targets, fallbacks = [] }) => [
    ...targets.map(({ model }) => model),
    ...fallbacks,
  ]);
  const missing = [...new Set(used.map(findModelKey))].filter((key) => !known.has(key));
  if (missing.length === 0)
    return used.length === 0 ? [] : [ok('prices', 'all models of aliases have a price')];
  const message = `no price for ${missing.join(', ')}`;
  const wayOut = 'Set it with `gateway pricing set <model> --input <dollars> --output <dollars>`.';
  if (requirePricing) return [problem('prices', `${message}, so requests for them are refused`, wayOut)];
  const effect = allowUnpriced
    ? 'so their cost is not counted in budgets'
    : 'so requests under a budget are refused';
  return [{ ...note('prices', `${message}, ${effect}`), wayOut }];
}
