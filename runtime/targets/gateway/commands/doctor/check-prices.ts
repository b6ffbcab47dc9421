import { type Finding, note, ok, problem } from '../../../../serve/cli/doctor/finding.ts';
import type { ModelsConfig } from '../../config/spec.ts';
import { findModelKey } from '../../ledger/model-key.ts';

/** Models that aliases stand for and that have no price: their use costs nothing by our accounts, or is refused. */
export function checkPrices(
  { aliases, pricing, requirePricing }: Pick<ModelsConfig, 'aliases' | 'pricing' | 'requirePricing'>,
  priced: readonly string[] | undefined,
): Finding[] {
  // What is wrong with the database is told already.
  if (!priced) return [];
  const known = new Set([...priced, ...pricing.map(({ modelKey }) => modelKey)]);
  const used = aliases.flatMap(({ targets, fallbacks = [] }) => [
    ...targets.map(({ model }) => model),
    ...fallbacks,
  ]);
  const missing = [...new Set(used.map(findModelKey))].filter((key) => !known.has(key));
  if (missing.length === 0) return used.length === 0 ? [] : [ok('prices', 'all models of aliases have one')];
  const message = `no price of ${missing.join(', ')}`;
  const wayOut = '`gateway pricing set <model> --input <dollars> --output <dollars>` sets one.';
  if (requirePricing) return [problem('prices', `${message}, so requests for them are refused`, wayOut)];
  return [{ ...note('prices', `${message}, so their use counts tokens and no money`), wayOut }];
}
