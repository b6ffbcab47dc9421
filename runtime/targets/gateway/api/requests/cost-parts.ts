import { parseJsonText } from '#core/json/json-text.ts';
import type { GatewayContext } from '../../context.ts';
import { costOf, ratesFor, tokenParts, type TokenPrice } from '../../shared/token-price.ts';
import { dollarsOf } from '../../shared/money.ts';
import type { UsageRow } from '../../store/schema.ts';

/** A part of the cost of a request. */
interface CostPart {
  readonly part: 'input' | 'cached_input' | 'cache_write' | 'cache_write_1h' | 'output' | 'other';
  /** Null for what is not billed by tokens. */
  readonly tokens: number | null;
  readonly price_per_million: number | null;
  readonly cost: number;
}

/** The parts of a cost; undefined if it is unknown, or if the price that it was computed with is not known any more. */
export async function costParts(
  { state, models }: Pick<GatewayContext, 'state' | 'models'>,
  row: UsageRow,
): Promise<readonly CostPart[] | undefined> {
  if (row.cost_nano === null || row.cost_nano === 0n) return undefined;
  const price = await priceOf({ state, models }, row);
  if (!price) return undefined;
  const counts = {
    input: row.prompt_tokens ?? 0,
    cachedInput: row.cached_tokens ?? 0,
    cacheWrite: row.cache_write_tokens ?? 0,
    cacheWrite1h: row.cache_write_1h_tokens ?? 0,
    output: row.completion_tokens ?? 0,
  };
  const tokenCost = costOf(counts, { ...price, units: undefined, audio: undefined });
  const rest = row.cost_nano - tokenCost;
  const hasUnits = row.units !== null && Object.keys(parseJsonText(row.units) as object).length > 0;
  if (rest !== 0n && !(hasUnits && rest > 0n)) return undefined;
  const parts = tokenParts(counts, ratesFor(counts.input, price))
    .filter(({ tokens }) => tokens > 0)
    .map(({ part, tokens, rate }) => ({
      part,
      tokens,
      price_per_million: dollarsOf(rate),
      cost: dollarsOf((BigInt(tokens) * rate + 500_000n) / 1_000_000n),
    }));
  const other = { part: 'other', tokens: null, price_per_million: null, cost: dollarsOf(rest) } as const;
  return rest === 0n ? parts : [...parts, other];
}

/** The price at the time of the request. */
async function priceOf(
  { state, models }: Pick<GatewayContext, 'state' | 'models'>,
  row: UsageRow,
): Promise<TokenPrice | undefined> {
  const startedAt = row.timestamp - (row.latency_ms ?? 0);
  const own = await state.prices.at(row.model, startedAt);
  if (own || row.provider === null) return own;
  const held = models.hold();
  try {
    const listedAs = held.set.router.provider(row.provider)?.listedAs;
    if (listedAs === undefined) return undefined;
    const listed = await state.priceMaps.find(listedAs, row.model.slice(row.model.indexOf(':') + 1));
    return listed?.price;
  } finally {
    held.release();
  }
}
