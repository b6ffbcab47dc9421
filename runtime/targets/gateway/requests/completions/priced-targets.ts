import { AppError } from '#contract/errors.ts';
import type { Nanos } from '../../shared/money.ts';
import { isFree, maxCostOf, type TokenPrice } from '../../shared/token-price.ts';
import type { Estimate } from '../../accounts/ledger/ledger.ts';
import { batchPrice } from '../../accounts/price-map/batch-price.ts';
import { audioPrice } from '../../accounts/price-map/audio-price.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { AudioCounts } from '../../shared/audio-price.ts';
import type { Target } from '../routing/routing.ts';
import type { ExpectedUnits } from './expected-units.ts';
import type { RequestCounts } from './request-counts.ts';

/** Prices of targets at the time of the request; undefined for targets without a price. */
export type PriceList = ReadonlyMap<string, TokenPrice | undefined>;

interface PriceOptions {
  readonly required: boolean;
  readonly isAudio?: boolean | undefined;
  readonly isBatch?: boolean | undefined;
  /** What the name of an entry begins with if the price depends on it, e.g. `hd/1024-x-1792`. */
  readonly variant?: string | undefined;
}

/** Reads the prices of targets: those that were set, then those of the price map. Throws a PaymentRequiredError if one has no price and prices are required. */
export async function pricesOf(
  { prices, priceMaps }: Pick<GatewayState, 'prices' | 'priceMaps'>,
  targets: readonly Target[],
  time: number,
  { required, isAudio = false, isBatch = false, variant }: PriceOptions,
): Promise<PriceList> {
  const list = new Map<string, TokenPrice | undefined>();
  for (const { key, otherKeys, listedAs, model } of targets) {
    let price = await prices.at(key, time);
    for (const other of otherKeys) price ??= await prices.at(other, time);
    if (listedAs !== undefined && price === undefined) {
      let listed = await priceMaps.find(listedAs, model);
      if (variant !== undefined) listed ??= await priceMaps.find(listedAs, `${variant}/${model}`);
      price = isAudio ? audioPrice(listed) : isBatch && listed ? batchPrice(listed) : listed?.price;
    }
    if (price === undefined && required) throw noPrice(key);
    list.set(key, price);
  }
  return list;
}

export interface ExpectedTokens {
  readonly prompt: number;
  readonly output: number;
  /** The estimates of each model, for answers without usage. */
  readonly counts: Pick<RequestCounts, 'prompt' | 'completion' | 'learn'>;
  /** What the request can use besides tokens of text. */
  readonly units?: ExpectedUnits | undefined;
  /** What is audio, as far as the request shows it. */
  readonly audio?: AudioCounts | undefined;
}

/** The maximum cost of a request, whichever target answers. */
export function estimateOf(
  list: PriceList,
  { prompt, output, units, audio }: Pick<ExpectedTokens, 'prompt' | 'output' | 'units' | 'audio'>,
  allowUnpriced: boolean,
): Estimate {
  let cost: Nanos = 0n;
  let free = true;
  let unpriced: string | undefined;
  for (const [key, price] of list) {
    const own = price === undefined ? 0n : maxCostOf({ input: prompt, output, units, audio }, price);
    if (own > cost) cost = own;
    if (price === undefined || !isFree(price)) free = false;
    if (price === undefined && !allowUnpriced) unpriced ??= key;
  }
  return { cost, tokens: prompt + output, free, unpriced };
}

/** The maximum cost of a request if one target answers; undefined without a price. */
export function costOfTarget(
  list: PriceList,
  key: string,
  { counts, output }: ExpectedTokens,
): Nanos | undefined {
  const price = list.get(key);
  return price && maxCostOf({ input: counts.prompt(key), output }, price);
}

const noPrice = (key: string): AppError =>
  new AppError(
    'PaymentRequiredError',
    `No pricing is configured for model '${key}'. Set its price with POST /v1/pricing, or use a model that has one.`,
    { reason: 'pricing_required' },
  );
