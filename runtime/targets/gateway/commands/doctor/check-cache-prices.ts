import { type Finding, note } from '#serve/cli/doctor/finding.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import type { ModelsConfig } from '../../requests/models/models-config.ts';
import { isFree } from '../../shared/price.ts';

/**
 * Reports Anthropic models without a cache write price, because Anthropic charges more for cache writes than
 * for other input.
 */
export function checkCachePrices(
  { providers, pricing }: Pick<ModelsConfig, 'providers' | 'pricing'>,
  stored: readonly Price[] | undefined,
): Finding[] {
  if (!stored) return [];
  const names = providers.filter(({ type }) => type === 'anthropic').map(({ name }) => name);
  const known = new Set(stored.map(({ modelKey }) => modelKey));
  const models = [...stored, ...pricing.filter(({ modelKey }) => !known.has(modelKey))]
    .filter((price) => typeof price.cacheWrite !== 'bigint' && !isFree(price))
    .map(({ modelKey }) => modelKey)
    .filter((key) => names.some((name) => key.startsWith(`${name}:`)));
  if (models.length === 0) return [];
  const message = `${models.join(', ')}: cache writes are billed at the input price, but Anthropic charges 1.25 times as much, or 2 times as much for the 1-hour cache`;
  const wayOut =
    'Set the cache prices with `gateway pricing set … --cache-write <dollars> --cache-write-1h <dollars>`.';
  return [{ ...note('cache prices', message), wayOut }];
}
