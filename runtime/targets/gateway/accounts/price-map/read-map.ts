import { lookup } from '#core/values/lookup.ts';
import { AppError, inputError, messageOf } from '#contract/errors.ts';
import { explainJson } from '#core/json/explain-json.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { runAtOnce } from '#platform/run-yielding.ts';
import { createBodyParser } from '#serve/http/body.ts';
import { MAP_FORMAT, MAP_SCHEMA, type PriceMapFile } from './map-file.ts';
import { isObject } from '#core/json/is-object.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import type { ExtraRates, ListedModel, ListedModels, ListedRates } from './listed-model.ts';

/**
 * Parses a map in the gateway's own format, or in LiteLLM's published format, which has no date and gets
 * `today`. Throws an InputError that describes the first problem.
 */
export function readPriceMap(text: string, shown: string, today: string): PriceMapFile {
  const value = parse(text, shown);
  const map = isLiteLlmMap(value)
    ? { format: MAP_FORMAT, date: today, source: shown, models: fromLiteLlm(value) }
    : value;
  // A different LiteLLM map can contain anything, so the converted data is validated as well.
  return check(map, shown);
}

function parse(text: string, shown: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw inputError(`${shown} is not a price map: ${explainJson(text, error)}`, error);
  }
}

function check(value: unknown, shown: string): PriceMapFile {
  try {
    return runAtOnce(createBodyParser({})(Buffer.from(JSON.stringify(value)), MAP_SCHEMA)) as PriceMapFile;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [first = messageOf(error)] = (error.details ?? []).map(({ message }) => message);
    throw inputError(
      `${shown} is not a price map: ${first}. Use a map in the gateway’s format (${MAP_FORMAT}) or in LiteLLM’s.`,
      error,
    );
  }
}

type Entry = Readonly<Record<string, unknown>>;

/** The gateway's names for the providers in LiteLLM's map. Entries of other providers are omitted. */
const PROVIDERS = lookup<string>({
  openai: 'openai',
  'text-completion-openai': 'openai',
  anthropic: 'anthropic',
  gemini: 'gemini',
  mistral: 'mistral',
  groq: 'groq',
  together_ai: 'together',
  deepseek: 'deepseek',
  openrouter: 'openrouter',
  fireworks_ai: 'fireworks',
  'fireworks_ai-embedding-models': 'fireworks',
  xai: 'xai',
  cerebras: 'cerebras',
  perplexity: 'perplexity',
  sambanova: 'sambanova',
  nebius: 'nebius',
  moonshot: 'moonshot',
  dashscope: 'dashscope',
  nvidia_nim: 'nvidia',
  cohere: 'cohere',
  cohere_chat: 'cohere',
  azure: 'azure',
  azure_text: 'azure',
  azure_ai: 'azure_ai',
  bedrock: 'bedrock',
  bedrock_converse: 'bedrock',
  voyage: 'voyage',
  jina_ai: 'jina',
});
/** Modes for which the gateway has no routes. */
const LEFT_OUT = new Set([
  'video_generation',
  'evaluation',
  'guardrail',
  'search',
  'vector_store',
  'decisions',
]);
/** Entries that stand for all models of a given size. */
const SIZE_CLASS = /^(fireworks-ai|together-ai)-/;

/** Whether a JSON value looks like LiteLLM's published map. */
const isLiteLlmMap = (value: unknown): value is Readonly<Record<string, Entry>> =>
  isObject(value) && Object.values(value).some((entry) => isObject(entry) && 'litellm_provider' in entry);

/** Converts LiteLLM's published map. Entries without a readable price are omitted. */
function fromLiteLlm(map: Readonly<Record<string, unknown>>): ListedModels {
  const models: Record<string, Record<string, ListedModel | string>> = {};
  for (const [key, entry] of Object.entries(map)) {
    if (!isObject(entry)) continue;
    const target = entry['alias_of'];
    const own = typeof target === 'string' ? map[target] : entry;
    const provider = isObject(own) ? providerOf(own) : undefined;
    if (provider === undefined || !isObject(own) || isLeftOut(key, own)) continue;
    const listed = typeof target === 'string' ? nameOf(target) : modelOf(key, own);
    if (typeof listed === 'string' || Object.keys(listed).length > 0)
      (models[provider] ??= {})[nameOf(key)] ??= listed;
  }
  return models;
}

const isLeftOut = (key: string, { mode }: Entry): boolean =>
  SIZE_CLASS.test(key) || LEFT_OUT.has(String(mode));

function providerOf({ litellm_provider: name }: Entry): string | undefined {
  if (typeof name !== 'string') return undefined;
  if (/^vertex_ai\b/.test(name)) return 'vertex';
  return PROVIDERS[name];
}

/** A model's name without its provider prefix. */
const nameOf = (key: string): string => {
  const lower = key.toLowerCase();
  const prefix = lower.slice(0, lower.indexOf('/'));
  return prefix in PROVIDERS || prefix === 'vertex_ai' ? lower.slice(prefix.length + 1) : lower;
};

const TOKEN_RATES: Readonly<Record<keyof ListedRates, string>> = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cached_input: 'cache_read_input_token_cost',
  cache_write: 'cache_creation_input_token_cost',
  cache_write_1h: 'cache_creation_input_token_cost_above_1hr',
};
const MILLION = 1_000_000;

function modelOf(key: string, entry: Entry): ListedModel {
  const [shortest] = rangesOf(entry);
  const rates = { ...(shortest && ratesOf(shortest, '')), ...ratesOf(entry, '') };
  const tiers = tiersOf(entry);
  const batch = ratesOf(entry, '_batches');
  // A free model would pass any budget. Only moderation is free; elsewhere, 0 means that the price is
  // unknown.
  const isKnown = rates.input !== 0 || rates.output !== 0 || entry['mode'] === 'moderation';
  return {
    ...(isKnown && rates),
    ...(isKnown && tiers.length > 0 && { tiers }),
    ...(Object.keys(batch).length > 0 && { batch }),
    ...extrasOf(key, entry),
  };
}

function ratesOf(entry: Entry, suffix: string): ListedRates {
  const rate = (name: keyof ListedRates): number | undefined =>
    amountOf(entry[`${TOKEN_RATES[name]}${suffix}`], MILLION);
  const input = rate('input');
  return omitUndefined({
    input,
    // Models that only read, for example embedding models, have no output price.
    output: rate('output') ?? (input === undefined ? undefined : 0),
    cached_input: rate('cached_input'),
    cache_write: rate('cache_write'),
    cache_write_1h: rate('cache_write_1h'),
  });
}

/** Prices for long prompts. */
function tiersOf(entry: Entry): NonNullable<ListedModel['tiers']> {
  const above = Object.keys(entry).flatMap(
    (name) => /^input_cost_per_token_above_(\d+)k_tokens$/.exec(name)?.[1] ?? [],
  );
  const named = above.map((thousands) => ({
    above: Number(thousands) * 1000,
    ...ratesOf(entry, `_above_${thousands}k_tokens`),
  }));
  const ranged = rangesOf(entry).flatMap((range) => {
    const from = startOf(range);
    return from > 0 ? [{ above: from, ...ratesOf(range, '') }] : [];
  });
  return [...named, ...ranged].sort((one, other) => one.above - other.above);
}

/** Prices by prompt length range, shortest first. */
const rangesOf = ({ tiered_pricing: list }: Entry): Entry[] =>
  Array.isArray(list) ? list.filter(isObject).sort((one, other) => startOf(one) - startOf(other)) : [];

function startOf({ range }: Entry): number {
  const [from]: unknown[] = Array.isArray(range) ? range : [];
  return typeof from === 'number' ? from : 0;
}

/** Gemini models before version 3 bill a request with searches once. */
const isPerRequest = (key: string, entry: Entry): boolean =>
  /gemini/.test(`${key} ${String(entry['litellm_provider'])}`) &&
  entry['web_search_billing_unit'] !== 'per_query';

/** The price of an image of the size in the name, `hd/1024-x-1792/dall-e-3`, computed from the price per pixel. */
function imageOf(key: string, { input_cost_per_pixel: pixel }: Entry): number | undefined {
  const [, width, height] = /\b(\d{1,9})-x-(\d{1,9})\/dall-e/.exec(key) ?? [];
  if (width === undefined || typeof pixel !== 'number' || pixel === 0) return undefined;
  return Number((pixel * Number(width) * Number(height)).toFixed(3));
}

function extrasOf(key: string, entry: Entry): ExtraRates {
  const { search_context_cost_per_query: search } = entry;
  const each = (name: string): number | undefined => amountOf(entry[name], 1);
  const million = (name: string): number | undefined => amountOf(entry[name], MILLION);
  return omitUndefined({
    audio_input: million('input_cost_per_audio_token'),
    audio_output: million('output_cost_per_audio_token'),
    image_input: million('input_cost_per_image_token'),
    image_output: million('output_cost_per_image_token'),
    per_image: each('output_cost_per_image') ?? imageOf(key, entry),
    per_input_image: each('input_cost_per_image'),
    per_second: each('input_cost_per_second'),
    per_output_second: each('output_cost_per_second'),
    per_character: each('input_cost_per_character'),
    per_query: each('input_cost_per_query'),
    per_page: each('ocr_cost_per_page'),
    [isPerRequest(key, entry) ? 'searched_request' : 'web_search']: isObject(search)
      ? amountOf(search['search_context_size_medium'], 1)
      : undefined,
  });
}

/** An amount without floating-point noise, and without zeros, which often stand for "unknown" in other units. */
function amountOf(value: unknown, factor: number): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined;
  if (value === 0 && factor === 1) return undefined;
  return Number((value * factor).toPrecision(9));
}
