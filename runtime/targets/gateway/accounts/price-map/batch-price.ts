import { nanosOf } from '../../shared/money.ts';
import type { TokenPrice } from '../../shared/price.ts';
import type { ListedPrice } from './price-map.ts';

/** The price for batches: the map's batch price or, without one, the price for other requests. */
export function batchPrice({ listed, price, source }: ListedPrice): TokenPrice | undefined {
  const { batch } = listed;
  if (!price || batch?.input === undefined) return price;
  const { output, cached_input: cached } = batch;
  return {
    input: nanosOf(batch.input) ?? price.input,
    output: (output === undefined ? undefined : nanosOf(output)) ?? price.output,
    cachedInput: (cached === undefined ? undefined : nanosOf(cached)) ?? null,
    source: `${source} (batch)`,
  };
}
