import { isFree } from '../../shared/token-price.ts';
import { type Finding, note } from '../../../../serve/cli/doctor/finding.ts';
import type { ModelsConfig } from '../../ask/models/models-config.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';

/** Reports prices of Anthropic's models without a price of cache writes: Anthropic bills those at more than other input. */
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
  const message = `cache writes of ${models.join(', ')} are billed as other input, and Anthropic charges 1.25 times as much, for 1 hour twice`;
  const wayOut = '`gateway pricing set` has --cache-write and --cache-write-1h.';
  return [{ ...note('cache prices', message), wayOut }];
}
