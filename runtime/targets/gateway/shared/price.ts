import type { Nanos } from './money.ts';

/** Prices per million tokens. */
export interface TokenRates {
  readonly input: Nanos;
  readonly output: Nanos;
  /** Price per million input tokens read from the provider's cache; null means the input price. */
  readonly cachedInput: Nanos | null;
  /** Price per million input tokens written to the cache; null means the input price. */
  readonly cacheWrite?: Nanos | null | undefined;
  /** Price per million input tokens written to the cache for 1 hour; null means `cacheWrite`. */
  readonly cacheWrite1h?: Nanos | null | undefined;
}

/** Prices for requests whose prompt has more tokens than this. */
export interface PriceTier extends TokenRates {
  readonly aboveTokens: number;
}

export interface TokenPrice extends TokenRates {
  /**
   * Price tiers, sorted by `aboveTokens`. The last tier that the prompt exceeds applies to all tokens of the
   * request.
   */
  readonly tiers?: readonly PriceTier[] | undefined;
  /** Where the price comes from. Default: set by an administrator. */
  readonly source?: string | undefined;
  /** Prices for web searches, images and other units. */
  readonly units?: UnitRates | undefined;
  /** Prices for input and output audio. */
  readonly audio?: AudioRates | undefined;
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
  readonly audio?: AudioCounts | undefined;
}

const MILLION = 1_000_000n;

/** Cost of a request's tokens, rounded half up to nano-dollars. */
export function costOf(tokens: TokenCounts, price: TokenPrice): Nanos {
  const rates = ratesFor(tokens.input, price);
  const cost = (costOfMillions(tokens, rates) + MILLION / 2n) / MILLION;
  const units = price.units && tokens.units ? unitCost(tokens.units, price.units, rates) : 0n;
  const audio = price.audio && tokens.audio ? audioCost(tokens.audio, price.audio, rates) : 0n;
  return cost + units + audio;
}

/**
 * Maximum cost of a request with up to this many tokens, rounded up: the whole prompt may be read from or
 * written to the cache, and a shorter prompt may be in another tier.
 */
export function maxCostOf(
  { input, output, units, audio }: Pick<TokenCounts, 'input' | 'output' | 'units' | 'audio'>,
  price: TokenPrice,
): Nanos {
  const heard = price.audio && audio ? audioCost(audio, price.audio, price) : 0n;
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

/** Whether all these prices are zero. */
export const isFree = (price: TokenPrice): boolean =>
  Object.values({ ...price.units, ...price.audio }).every((rate) => !rate) &&
  [price, ...(price.tiers ?? [])].every((rates) => maxInputRate(rates) === 0n && rates.output === 0n);

const larger = (rate: Nanos, other: Nanos | undefined): Nanos =>
  other !== undefined && other > rate ? other : rate;

/** Prices for a request with this many input tokens. */
export const ratesFor = (input: number, { tiers = [], ...base }: TokenPrice): TokenRates =>
  tiers.findLast(({ aboveTokens }) => input > aboveTokens) ?? base;

/** Tokens that have the same price. */
interface TokenPart {
  readonly part: 'input' | 'cached_input' | 'cache_write' | 'cache_write_1h' | 'output';
  readonly tokens: number;
  readonly rate: Nanos;
}

/** A request's tokens grouped by price. Parts that exceed the prompt are limited, so that no token is counted twice. */
export function tokenParts(
  { input, cachedInput = 0, cacheWrite = 0, cacheWrite1h = 0, output }: TokenCounts,
  rates: TokenRates,
): readonly TokenPart[] {
  const read = Math.min(cachedInput, input);
  const written = Math.min(cacheWrite, input - read);
  const hour = Math.min(cacheWrite1h, written);
  const { readRate, writeRate, hourRate } = inputRates(rates);
  return [
    { part: 'input', tokens: input - read - written, rate: rates.input },
    { part: 'cached_input', tokens: read, rate: readRate },
    { part: 'cache_write', tokens: written - hour, rate: writeRate },
    { part: 'cache_write_1h', tokens: hour, rate: hourRate },
    { part: 'output', tokens: output, rate: rates.output },
  ];
}

/** Exact, because no division is needed. */
const costOfMillions = (tokens: TokenCounts, rates: TokenRates): bigint =>
  tokenParts(tokens, rates).reduce((sum, part) => sum + BigInt(part.tokens) * part.rate, 0n);

function inputRates({ input, cachedInput, cacheWrite, cacheWrite1h }: TokenRates) {
  const writeRate = cacheWrite ?? input;
  return { readRate: cachedInput ?? input, writeRate, hourRate: cacheWrite1h ?? writeRate };
}

function maxInputRate(rates: TokenRates): Nanos {
  const { readRate, writeRate, hourRate } = inputRates(rates);
  return [readRate, writeRate, hourRate].reduce((max, rate) => (rate > max ? rate : max), rates.input);
}

/** Audio prices, per million tokens, seconds or characters. */
interface AudioRates {
  /** Price of input audio; replaces the price of other input tokens. */
  readonly audioInput?: Nanos | undefined;
  /** Price of audio generated by a model. */
  readonly audioOutput?: Nanos | undefined;
  readonly perSecond?: Nanos | undefined;
  readonly perCharacter?: Nanos | undefined;
}

/** Amounts of audio in a request. */
export interface AudioCounts {
  /** The part of the input tokens that is audio. */
  readonly audioInput?: number | undefined;
  /** The part of the output tokens that is audio. */
  readonly audioOutput?: number | undefined;
  /** Length of the input audio. */
  readonly seconds?: number | undefined;
  /** Length of the text that a model converts to speech. */
  readonly characters?: number | undefined;
}

/** The cost of audio, on top of the cost of the same tokens as text, rounded up to nano-dollars. */
function audioCost(
  { audioInput = 0, audioOutput = 0, seconds = 0, characters = 0 }: AudioCounts,
  rates: AudioRates,
  text: { readonly input: Nanos; readonly output: Nanos },
): Nanos {
  const millions =
    BigInt(audioInput) * ((rates.audioInput ?? text.input) - text.input) +
    BigInt(audioOutput) * ((rates.audioOutput ?? text.output) - text.output) +
    (BigInt(Math.round(seconds * 1000)) * (rates.perSecond ?? 0n)) / 1000n +
    BigInt(characters) * (rates.perCharacter ?? 0n);
  return millions > 0n ? (millions + MILLION - 1n) / MILLION : millions / MILLION;
}

/** Prices of things that are not billed by text tokens. */
export interface UnitRates {
  /** Price per web search made by the provider. */
  readonly webSearch?: Nanos | undefined;
  /** Price per request for which the provider searches the web, regardless of how often. */
  readonly searchedRequest?: Nanos | undefined;
  /** Price per generated image. */
  readonly image?: Nanos | undefined;
  /** Price per search unit of a reranker. */
  readonly query?: Nanos | undefined;
  /** Price per million image input tokens; replaces the price of other input tokens. */
  readonly imageInput?: Nanos | undefined;
  /** Price per million image output tokens; replaces the price of other output tokens. */
  readonly imageOutput?: Nanos | undefined;
}

/** How many units a request used. */
export interface UnitCounts {
  readonly webSearches?: number | undefined;
  readonly images?: number | undefined;
  readonly queries?: number | undefined;
  /** The part of the input tokens that is images. */
  readonly imageInput?: number | undefined;
  /** The part of the output tokens that is images. */
  readonly imageOutput?: number | undefined;
}

/** The cost of units, on top of the cost of the same tokens as text, rounded half up to nano-dollars. */
function unitCost(
  { webSearches = 0, images = 0, queries = 0, imageInput = 0, imageOutput = 0 }: UnitCounts,
  rates: UnitRates,
  text: { readonly input: Nanos; readonly output: Nanos },
): Nanos {
  const single =
    BigInt(webSearches) * (rates.webSearch ?? 0n) +
    (webSearches > 0 ? (rates.searchedRequest ?? 0n) : 0n) +
    BigInt(images) * (rates.image ?? 0n) +
    BigInt(queries) * (rates.query ?? 0n);
  const millions =
    BigInt(imageInput) * ((rates.imageInput ?? text.input) - text.input) +
    BigInt(imageOutput) * ((rates.imageOutput ?? text.output) - text.output);
  return single + (millions + MILLION / 2n) / MILLION;
}

/** Positive counts as JSON for the database; null if there are none. */
export function unitsToText(units: UnitCounts | undefined): string | null {
  const { webSearches, images, queries, imageInput, imageOutput } = units ?? {};
  const named = {
    web_searches: webSearches,
    images,
    queries,
    image_input_tokens: imageInput,
    image_output_tokens: imageOutput,
  };
  const present = Object.entries(named).filter(([, count]) => count !== undefined && count > 0);
  return present.length === 0 ? null : JSON.stringify(Object.fromEntries(present));
}
