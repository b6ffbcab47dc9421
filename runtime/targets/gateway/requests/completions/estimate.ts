import { AppError } from '#contract/errors.ts';
import type { Nanos } from '../../shared/money.ts';
import { isFree, maxCostOf, type TokenPrice, type AudioCounts, type UnitCounts } from '../../shared/price.ts';
import type { Estimate } from '../../accounts/ledger/ledger.ts';
import { batchPrice } from '../../accounts/price-map/batch-price.ts';
import { audioPrice } from '../../accounts/price-map/audio-price.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { Target } from '../routing/routing.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { AnswerSummary } from '../../providers/streams/stream.ts';
import type { CountedPrompt, TokenCounter } from '../tokens/token-counter.ts';
import type { EndpointRules } from './endpoints/endpoint.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { isObject } from '#core/json/is-object.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import { textOrUndefined } from '#core/values/text-or-undefined.ts';
import type { Endpoint } from './completion.ts';

/** Target prices at the time of the request; undefined for targets without a price. */
export type PriceList = ReadonlyMap<string, TokenPrice | undefined>;

interface PriceOptions {
  readonly required: boolean;
  readonly isAudio?: boolean | undefined;
  readonly isBatch?: boolean | undefined;
  /**
   * Prefix of the entry's name in the price map, for prices that depend on image quality and size, e.g.
   * `hd/1024-x-1792`.
   */
  readonly variant?: string | undefined;
}

/**
 * Looks up the prices of targets: prices that were set take precedence over those in the price map. Throws
 * a PaymentRequiredError if a target has no price and prices are required.
 */
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
  /** Token estimates for each model, used for responses without usage. */
  readonly counts: Pick<RequestCounts, 'prompt' | 'completion' | 'learn'>;
  /** What the request can use in addition to text tokens. */
  readonly units?: ExpectedUnits | undefined;
  /** The audio in the request, as far as it can be determined from the request. */
  readonly audio?: AudioCounts | undefined;
}

/** A request's maximum cost, whichever target responds. */
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
  return { cost, tokens: prompt + output, free, unpriced, models: [...list.keys()] };
}

/** A request's maximum cost if a specific target responds; undefined without a price. */
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

/** Estimated tokens of a request and its response, for each model that can respond. */
interface RequestCounts {
  /** The highest prompt token count among the models. */
  readonly maxPrompt: number;
  readonly prompt: (model: string) => number;
  /**
   * A response's tokens: the provider's count, plus an estimate for any output that it does not include.
   */
  readonly completion: (model: string, summary: AnswerSummary) => number;
  /** Receives the usage that a model's provider reported, to improve later estimates. */
  readonly learn: (model: string, summary: AnswerSummary) => void;
}

interface CountOptions {
  /** Tokens of a file that is not part of the body. */
  readonly inFile?: number | undefined;
  /** The user whose earlier prompts speed up the count. Default: all texts are counted. */
  readonly owner?: string | undefined;
}

/**
 * Counts the tokens of a request's prompt for each of these models. Only returns a promise if an encoding
 * must be loaded.
 */
export function countTokensOfRequest(
  counter: TokenCounter,
  rules: Pick<EndpointRules, 'promptTokens'>,
  body: Json,
  models: readonly string[],
  options: CountOptions = {},
): RequestCounts | Promise<RequestCounts> {
  const loading = counter.loading(models);
  const count = (): RequestCounts => countWith(counter, rules, body, models, options);
  return loading ? loading.then(count) : count();
}

function countWith(
  counter: TokenCounter,
  rules: Pick<EndpointRules, 'promptTokens'>,
  body: Json,
  models: readonly string[],
  { inFile = 0, owner }: CountOptions,
): RequestCounts {
  const counted = new Map<string, CountedPrompt | undefined>();
  const prompts = new Map<string, number>();
  for (const model of models) {
    if (prompts.has(model)) continue;
    const count = (texts: Json): number => {
      const found = counter.prompt(model, texts, owner);
      counted.set(model, found);
      return found.tokens;
    };
    prompts.set(model, (rules.promptTokens?.(body, count) ?? count(body)) + inFile);
  }
  const maxPrompt = greatest(prompts.values());
  return {
    maxPrompt,
    prompt: (model) => prompts.get(model) ?? maxPrompt,
    completion: (model, summary) => completionOf(counter, model, summary),
    learn(model, { usage, countedLength, outputText, outputLength }) {
      const prompt = counted.get(model);
      const { promptTokens, completionTokens, reasoningTokens = 0 } = usage ?? {};
      if (prompt && promptTokens !== undefined) counter.learn(model, prompt, promptTokens);
      const isWhole = countedLength === undefined && outputText.length === outputLength;
      // The text does not include the reasoning, or only a summary of it.
      if (completionTokens !== undefined && isWhole && reasoningTokens === 0)
        counter.learnOutput(model, outputText, completionTokens);
    },
  };
}

/**
 * The tokens of a response that may have been interrupted. The provider's count is exact; tokens of later
 * output are estimated from its text.
 */
function completionOf(
  counter: Pick<TokenCounter, 'output'>,
  model: string,
  { usage, countedLength, outputText, outputLength }: AnswerSummary,
): number {
  const { completionTokens: counted, reasoningTokens = 0 } = usage ?? {};
  if (counted === undefined) return counter.output(model, outputText, outputLength);
  if (countedLength === undefined) return counted;
  // Only the start of a long output is kept; the rest is assumed to be similar.
  const text = outputText.slice(countedLength) || outputText;
  const rest = counter.output(model, text, outputLength - countedLength);
  // Tokens counted before any output belong to the start of the output, except for reasoning.
  return countedLength === 0 ? reasoningTokens + Math.max(counted - reasoningTokens, rest) : counted + rest;
}

/** What a request can use in addition to text tokens, estimated before the request is sent. */
interface ExpectedUnits extends UnitCounts {
  /**
   * Number of searches to assume for a response that reports none, because models that always search do not
   * report their searches.
   */
  readonly impliedSearches: number;
}

/** Number of searches to reserve for a request that does not limit the number of searches. */
const ASSUMED_SEARCHES = 5;

/** Documents per search unit of rerankers. @see https://docs.cohere.com/docs/rerank-overview */
const DOCUMENTS_PER_QUERY = 100;

export function expectedUnits(endpoint: Endpoint, body: Json): ExpectedUnits {
  const { n, documents, web_search_options: options } = body;
  const always = options === undefined || options === null ? 0 : 1;
  return {
    impliedSearches: always,
    webSearches: Math.max(always, searchesOf(body['tools'])),
    images: endpoint === '/v1/images/generations' ? (isCount(n) ? Math.max(1, n) : 1) : 0,
    queries:
      endpoint === '/v1/rerank' && Array.isArray(documents)
        ? Math.ceil(documents.length / DOCUMENTS_PER_QUERY)
        : 0,
  };
}

function searchesOf(tools: unknown): number {
  if (!Array.isArray(tools)) return 0;
  return tools.reduce<number>((max, tool) => {
    if (!isObject(tool)) return max;
    const isSearch =
      String(tool['type']).startsWith('web_search') || 'googleSearch' in tool || 'google_search' in tool;
    const { max_uses: limit } = tool;
    return isSearch ? Math.max(max, isCount(limit) ? limit : ASSUMED_SEARCHES) : max;
  }, 0);
}

/**
 * Image quality and size, in the format of the names in the price map; undefined for requests that do not
 * generate images.
 */
export function imageVariant(endpoint: Endpoint, { quality, size }: Json): string | undefined {
  if (endpoint !== '/v1/images/generations') return undefined;
  const [, width, height] = /^(\d+)x(\d+)$/.exec(textOrUndefined(size) ?? '1024x1024') ?? [];
  return width === undefined ? undefined : `${textOrUndefined(quality) ?? 'standard'}/${width}-x-${height}`;
}

/** Maximum output tokens to reserve budget for. No model generates more in a single response. */
const MAX_OUTPUT_TOKENS = 1_000_000;

/** Names of the token limit in the providers' APIs and on compatible servers. */
const LIMITS = [
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'maxOutputTokens',
  'max_new_tokens',
  'max_tokens_to_sample',
  'n_predict',
  'num_predict',
];

/**
 * The largest token limit in a request, times the number of requested completions. A request can contain
 * several limits, and a provider obeys the one whose name it knows; `members` are the names in the
 * request's API.
 */
export function maxOutputTokensIn(body: Json, members: readonly string[], assumed: number): number {
  const own = members.some((name) => limitOf(body[name]) !== undefined) ? 0 : assumed;
  const limit = [...members, ...LIMITS].reduce((most, name) => Math.max(most, limitOf(body[name]) ?? 0), own);
  const answers = typeof body['n'] === 'number' && body['n'] > 1 ? body['n'] : 1;
  return Math.min(MAX_OUTPUT_TOKENS, limit * answers);
}

/**
 * A limit as a number. Google also accepts numbers in quotes. A number that is too large for a double
 * exceeds any response.
 */
export function limitOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^\d{1,400}$/.test(value)) return Number(value);
  return isRawNumber(value) ? MAX_OUTPUT_TOKENS : undefined;
}

/** Number of token IDs in an input that is a list of IDs or of such lists. */
export function idsIn(input: unknown): number {
  if (!Array.isArray(input)) return 0;
  const lists: readonly unknown[] = input;
  const [first] = lists;
  if (typeof first === 'number') return lists.length;
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}
