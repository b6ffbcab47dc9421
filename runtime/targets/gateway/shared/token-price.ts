import type { Nanos } from './money.ts';
import { isFreeSound, soundCost, type SoundCounts, type SoundRates } from './sound-price.ts';
import { isFreeUnits, unitCost, type UnitCounts, type UnitRates } from './unit-price.ts';

/** Prices per million tokens. */
export interface TokenRates {
  readonly input: Nanos;
  readonly output: Nanos;
  /** Price of input tokens read from the provider's cache; null means the input price. */
  readonly cachedInput: Nanos | null;
  /** Price of input tokens written to the cache; null means the input price. */
  readonly cacheWrite?: Nanos | null | undefined;
  /** Price of input tokens written to the cache for 1 hour; null means `cacheWrite`. */
  readonly cacheWrite1h?: Nanos | null | undefined;
}

/** Prices of requests whose prompt has more tokens than this. */
export interface PriceTier extends TokenRates {
  readonly aboveTokens: number;
}

export interface TokenPrice extends TokenRates {
  /** Price tiers by `aboveTokens`, lowest first. The last tier that the prompt exceeds applies to all tokens of the request. */
  readonly tiers?: readonly PriceTier[] | undefined;
  /** What the price was taken from. Default: it was set by an administrator. */
  readonly source?: string | undefined;
  /** Prices of web searches, images and other units. */
  readonly units?: UnitRates | undefined;
  /** Prices of what a model hears or speaks. */
  readonly sound?: SoundRates | undefined;
}

export interface TokenCounts {
  /** All prompt tokens. */
  readonly input: number;
  /** The part of `input` that was read from the cache. */
  readonly cachedInput?: number | undefined;
  /** The part of `input` that was written to the cache. */
  readonly cacheWrite?: number | undefined;
  /** The part of `cacheWrite` that was written for 1 hour. */
  readonly cacheWrite1h?: number | undefined;
  readonly output: number;
  readonly units?: UnitCounts | undefined;
  readonly sound?: SoundCounts | undefined;
}

const MILLION = 1_000_000n;

/** Cost of these tokens, rounded half up to nano-dollars. */
export function costOf(tokens: TokenCounts, price: TokenPrice): Nanos {
  const rates = ratesFor(tokens.input, price);
  const cost = (costOfMillions(tokens, rates) + MILLION / 2n) / MILLION;
  const units = price.units && tokens.units ? unitCost(tokens.units, price.units, rates) : 0n;
  const sound = price.sound && tokens.sound ? soundCost(tokens.sound, price.sound, rates) : 0n;
  return cost + units + sound;
}

/**
 * Maximum cost of a request with at most these tokens, rounded up: the whole prompt can be read from or written to the cache,
 * and a shorter prompt can be in another tier.
 */
export function maxCostOf(
  { input, output, units, sound }: Pick<TokenCounts, 'input' | 'output' | 'units' | 'sound'>,
  price: TokenPrice,
): Nanos {
  const heard = price.sound && sound ? soundCost(sound, price.sound, price) : 0n;
  const reachable = [price, ...(price.tiers ?? []).filter(({ aboveTokens }) => input > aboveTokens)];
  const tokens = reachable.reduce((max, rates) => {
    const millions =
      BigInt(input) * larger(maxInputRate(rates), price.units?.imageInput) +
      BigInt(output) * larger(rates.output, price.units?.imageOutput);
    const cost = (millions + MILLION - 1n) / MILLION;
    return cost > max ? cost : max;
  }, 0n);
  const other = price.units && units ? unitCost(units, price.units, price) : 0n;
  return tokens + other + (heard > 0n ? heard : 0n);
}

/** Whether everything is free at these prices. */
export const isFree = (price: TokenPrice): boolean =>
  isFreeUnits(price.units ?? {}) &&
  isFreeSound(price.sound ?? {}) &&
  [price, ...(price.tiers ?? [])].every((rates) => maxInputRate(rates) === 0n && rates.output === 0n);

const larger = (rate: Nanos, other: Nanos | undefined): Nanos =>
  other !== undefined && other > rate ? other : rate;

const ratesFor = (input: number, { tiers = [], ...base }: TokenPrice): TokenRates =>
  tiers.findLast(({ aboveTokens }) => input > aboveTokens) ?? base;

/** Exact, because no division is needed. Parts that exceed the prompt are limited, so that no token is counted twice. */
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
  return [readRate, writeRate, hourRate].reduce((max, rate) => (rate > max ? rate : max), rates.input);
}
