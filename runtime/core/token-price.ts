import type { Nanos } from './money.ts';

/** Prices per million tokens. */
export interface TokenRates {
  readonly input: Nanos;
  readonly output: Nanos;
  /** Of input that the provider read from its cache; null: as other input. */
  readonly cachedInput: Nanos | null;
  /** Of input that it wrote to its cache; null: as other input. */
  readonly cacheWrite?: Nanos | null | undefined;
  /** Of input that it wrote to its cache for 1 hour; null: as `cacheWrite`. */
  readonly cacheWrite1h?: Nanos | null | undefined;
}

/** Prices of requests whose prompt has more tokens than this. */
export interface PriceTier extends TokenRates {
  readonly aboveTokens: number;
}

export interface TokenPrice extends TokenRates {
  /** By `aboveTokens`, the lowest first. The last one that the prompt exceeds applies to all tokens of the request. */
  readonly tiers?: readonly PriceTier[] | undefined;
}

export interface TokenCounts {
  /** The whole prompt. */
  readonly input: number;
  /** The part of `input` that was read from the cache. */
  readonly cachedInput?: number | undefined;
  /** The part of `input` that was written to the cache. */
  readonly cacheWrite?: number | undefined;
  /** The part of `cacheWrite` that was written for 1 hour. */
  readonly cacheWrite1h?: number | undefined;
  readonly output: number;
}

const MILLION = 1_000_000n;

/** The cost of these tokens, rounded to the nearest nano-dollar, halves up. */
export function costOf(tokens: TokenCounts, price: TokenPrice): Nanos {
  return (costOfMillions(tokens, ratesFor(tokens.input, price)) + MILLION / 2n) / MILLION;
}

/**
 * The maximum cost of a request with at most so many tokens, rounded up: all of the prompt can be read from the cache or written
 * to it, and a shorter one can be in another tier.
 */
export function maxCostOf(
  { input, output }: Pick<TokenCounts, 'input' | 'output'>,
  price: TokenPrice,
): Nanos {
  const reachable = [price, ...(price.tiers ?? []).filter(({ aboveTokens }) => input > aboveTokens)];
  return reachable.reduce((most, rates) => {
    const millions = BigInt(input) * maxInputRate(rates) + BigInt(output) * rates.output;
    const cost = (millions + MILLION - 1n) / MILLION;
    return cost > most ? cost : most;
  }, 0n);
}

/** Whether nothing that these prices apply to costs anything. */
export const isFree = (price: TokenPrice): boolean =>
  [price, ...(price.tiers ?? [])].every((rates) => maxInputRate(rates) === 0n && rates.output === 0n);

const ratesFor = (input: number, { tiers = [], ...base }: TokenPrice): TokenRates =>
  tiers.findLast(({ aboveTokens }) => input > aboveTokens) ?? base;

/** Exact, as no division is needed. Parts that exceed the prompt are cut, so that no token is counted twice. */
function costOfMillions(
  { input, cachedInput = 0, cacheWrite = 0, cacheWrite1h = 0, output }: TokenCounts,
  rates: TokenRates,
): bigint {
  const read = Math.min(cachedInput, input);
  const written = Math.min(cacheWrite, input - read);
  const hour = Math.min(cacheWrite1h, written);
  const { readRate, writeRate, hourRate } = inputRates(rates);
  return (
    BigInt(input - read - written) * rates.input +
    BigInt(read) * readRate +
    BigInt(written - hour) * writeRate +
    BigInt(hour) * hourRate +
    BigInt(output) * rates.output
  );
}

function inputRates({ input, cachedInput, cacheWrite, cacheWrite1h }: TokenRates) {
  const writeRate = cacheWrite ?? input;
  return { readRate: cachedInput ?? input, writeRate, hourRate: cacheWrite1h ?? writeRate };
}

function maxInputRate(rates: TokenRates): Nanos {
  const { readRate, writeRate, hourRate } = inputRates(rates);
  return [readRate, writeRate, hourRate].reduce((most, rate) => (rate > most ? rate : most), rates.input);
}
