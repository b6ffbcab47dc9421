import { omitUndefined } from '#core/json/omit-undefined.ts';
import { nanosOf, type Nanos } from '../../shared/money.ts';
import type { TokenPrice, TokenRates, UnitRates } from '../../shared/price.ts';
import type { ListedModel, ListedRates } from './listed-model.ts';
import type { PriceMapFile } from './map-file.ts';
import { withoutRegion } from '../../shared/inference-profile.ts';

/** A price in the map. */
export interface ListedPrice {
  /** The entry, `provider:model`. */
  readonly name: string;
  /** Everything that the map contains about the model, in dollars. */
  readonly listed: ListedModel;
  /** Token prices; undefined for a model that is not billed by tokens. */
  readonly price: TokenPrice | undefined;
  /** Where this entry's prices come from. */
  readonly source: string;
}

/** Prices published by providers, for models without a custom price. */
export interface PriceMap {
  readonly date: string;
  readonly source: string;
  readonly size: number;
  find(provider: string, model: string): ListedPrice | undefined;
  /** All entries whose name contains the text, sorted. */
  search(text: string): readonly ListedPrice[];
}

/** Maximum number of cached lookups. Clients can request any model name. */
const MAX_REMEMBERED = 5000;

export function createPriceMap({ date, source, models }: PriceMapFile): PriceMap {
  const providers = new Map(Object.entries(models).map(([name, list]) => [name, createList(list)]));
  const remembered = new Map<string, ListedPrice | undefined>();

  const priceOf = (provider: string, name: string): ListedPrice | undefined => {
    const listed = providers.get(provider)?.get(name);
    if (!listed) return undefined;
    const entry = `${provider}:${name}`;
    const from = `map ${date} ${entry}`;
    return { name: entry, listed, price: tokenPrice(listed, from), source: from };
  };
  return {
    date,
    source,
    size: [...providers.values()].reduce((sum, { names }) => sum + names.length, 0),
    find(provider, model) {
      const key = `${provider}:${model}`;
      if (remembered.has(key)) return remembered.get(key);
      const list = providers.get(provider);
      const name = list && matchModel(provider, model, list);
      const found = name === undefined ? undefined : priceOf(provider, name);
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(key, found);
      return found;
    },
    search: (text) =>
      [...providers]
        .flatMap(([provider, { names }]) => names.map((name) => [provider, name] as const))
        .filter(([provider, name]) => `${provider}:${name}`.includes(text.toLowerCase()))
        .map(([provider, name]) => priceOf(provider, name))
        .filter((price) => price !== undefined)
        .sort((one, other) => (one.name < other.name ? -1 : 1)),
  };
}

function createList(models: Readonly<Record<string, ListedModel | string>>) {
  const entries = new Map(Object.entries(models));
  let newest: Map<string, string> | undefined;
  const get = (name: string): ListedModel | undefined => {
    const found = entries.get(name);
    const target = typeof found === 'string' ? entries.get(found) : found;
    return typeof target === 'string' ? undefined : target;
  };
  return {
    names: [...entries.keys()],
    get,
    has: (name: string): boolean => get(name) !== undefined,
    newest(family: string): string | undefined {
      newest ??= newestByFamily([...entries.keys()].filter((name) => get(name) !== undefined));
      return newest.get(family);
    },
  };
}

function newestByFamily(names: readonly string[]): Map<string, string> {
  const newest = new Map<string, string>();
  // Dates in the same format sort as text.
  for (const name of names.toSorted()) if (familyOf(name) !== name) newest.set(familyOf(name), name);
  return newest;
}

/** Token price, with its source. */
function tokenPrice(listed: ListedModel, source: string): TokenPrice | undefined {
  const units = unitRatesOf(listed);
  // A model that is only billed by units has no token price.
  const base = ratesOf(listed) ?? (isBilledByUnits(units) ? FREE_TOKENS : undefined);
  if (!base) return undefined;
  const tiers = (listed.tiers ?? []).flatMap(({ above, ...tier }) => {
    const rates = ratesOf({ ...listed, ...tier });
    return rates ? [{ aboveTokens: above, ...rates }] : [];
  });
  return { ...base, tiers, source, ...(Object.keys(units).length > 0 && { units }) };
}

const FREE_TOKENS: TokenRates = { input: 0n, output: 0n, cachedInput: null };

const isBilledByUnits = ({ image, query }: UnitRates): boolean => image !== undefined || query !== undefined;

/** Unit prices. If a model's images have a token price, they are not also billed per image. */
function unitRatesOf(listed: ListedModel): UnitRates {
  const amount = (dollars: number | undefined): Nanos | undefined =>
    dollars === undefined ? undefined : nanos(dollars);
  return omitUndefined({
    webSearch: amount(listed.web_search),
    searchedRequest: amount(listed.searched_request),
    image: listed.image_output === undefined ? amount(listed.per_image) : undefined,
    query: amount(listed.per_query),
    imageInput: amount(listed.image_input),
    imageOutput: amount(listed.image_output),
  });
}

function ratesOf(listed: ListedRates): TokenRates | undefined {
  const { input, output } = listed;
  if (input === undefined || output === undefined) return undefined;
  return {
    input: nanos(input),
    output: nanos(output),
    cachedInput: optional(listed.cached_input),
    ...omitUndefined({
      cacheWrite: optional(listed.cache_write) ?? undefined,
      cacheWrite1h: optional(listed.cache_write_1h) ?? undefined,
    }),
  };
}

/** Amounts in a validated map are valid. */
const nanos = (dollars: number): Nanos => nanosOf(dollars) ?? 0n;
const optional = (dollars: number | undefined): Nanos | null =>
  dollars === undefined ? null : nanos(dollars);

/** A snapshot's date or number at the end of a name: -2024-08-06, -20241022, @20241022, -0613, -002. */
const SNAPSHOT = /[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3})$/;
const LATEST = /[-@](latest|default)$/;
/** Versions in Bedrock names: `anthropic.claude-…-v1:0`. */
const VERSION = /-v\d+(:\d+)?$/;

/** Names in a provider's price map, for looking up others. */
interface ListedNames {
  readonly has: (name: string) => boolean;
  /** A model's newest dated snapshot. */
  readonly newest: (family: string) => string | undefined;
}

/**
 * Finds the name that a model's price is listed under: its own name, ignoring case; without its provider or
 * region prefix; the family of an unlisted snapshot; the current model for `-latest`; and a family's newest
 * snapshot.
 */
function matchModel(provider: string, model: string, names: ListedNames): string | undefined {
  const [own = '', ...others] = spellingsOf(provider, model.trim().toLowerCase());
  for (const name of [own, ...others]) if (names.has(name)) return name;
  for (const name of [own, ...others]) {
    const family = familyOf(name);
    const found = [family, `${family}-latest`].find(names.has) ?? names.newest(family);
    if (found !== undefined) return found;
  }
  return undefined;
}

function spellingsOf(provider: string, text: string): string[] {
  const name = text
    // Google's and Amazon's resource names end with the model.
    .replace(/^arn:.*\//, '')
    .replace(/^((projects|publishers)\/.*\/)?models\//, '');
  const bare = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
  // A fine-tuned model is named `ft:<base>:<organization>:<name>:<id>`, and costs as much as its fine-tuned
  // base.
  const [tuned] = /^ft:[^:]+/.exec(bare) ?? [];
  const global = withoutRegion(bare);
  return [...new Set([bare, tuned ?? bare, global, global.replace(VERSION, '')])];
}

/** The name without its snapshot or `-latest`. */
const familyOf = (name: string): string =>
  name.replace(VERSION, '').replace(LATEST, '').replace(SNAPSHOT, '');
