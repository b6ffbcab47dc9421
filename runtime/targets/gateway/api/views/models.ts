import { omitUndefined } from '#core/json/omit-undefined.ts';
import { isObject } from '#core/json/is-object.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { spanText } from '#core/time/time-span.ts';
import { entriesOf } from '#core/values/keys.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import { UNIT_FIELDS, type UnitField } from '../../accounts/ledger/price-units.ts';
import type { ListedPrice, PriceMap } from '../../accounts/price-map/price-map.ts';
import type { StoredAliasEntry } from '../../config/schemas/stored-entries.ts';
import type { ConfiguredProvider } from '../../config/stored-models.ts';
import type { ModelEntry } from '../../providers/adapters/provider.ts';
import type { RegisteredAlias, RegisteredProvider } from '../../registry/registry.ts';
import { dollarsOf } from '../../shared/money.ts';
import type { TokenRates, UnitRates } from '../../shared/price.ts';
import { dollarsOrNull, rfc3339OrNull } from '../http/values.ts';

export const modelView = ({ id, created, ownedBy }: ModelEntry) => ({
  id,
  object: 'model' as const,
  created,
  owned_by: ownedBy,
});

export const providerView = (entry: RegisteredProvider) => ({
  name: entry.name,
  ...instanceView(entry.value),
  secrets: entry.stored ? [...entry.stored.secretNames] : secretsOf(entry.value),
  settings: entry.stored ? { ...entry.stored.settings } : null,
  used_by: [...entry.usedBy],
  ...entryView(entry),
});

/** Members that providers and aliases have in common. */
const entryView = ({ source, status, problem, stored }: RegisteredProvider | RegisteredAlias) => ({
  source,
  status,
  problem,
  created_at: rfc3339OrNull(stored?.createdAt ?? null),
  updated_at: rfc3339OrNull(stored?.updatedAt ?? null),
});

function instanceView(value: ConfiguredProvider | undefined) {
  if (!value || 'path' in value)
    return { type: value?.type ?? null, api_base: null, local: null, models: null };
  const { type, baseUrl, local, models } = value;
  return { type, api_base: baseUrl, local, models: models ? [...models] : null };
}

/** The names of the secrets that a provider in the configuration file uses. */
const secretsOf = (value: ConfiguredProvider | undefined): string[] =>
  !value || 'path' in value
    ? []
    : [
        ...(value.apiKey === undefined ? [] : ['api_key']),
        ...(value.keys ?? []).map(({ name }) => `keys.${name}.api_key`),
        ...Object.keys(value.headers ?? {}).map((name) => `headers.${name}`),
      ];

export function aliasView(entry: RegisteredAlias) {
  // Entries in the database have already been validated.
  const {
    targets = [],
    strategy = 'weighted',
    fallbacks = [],
  }: Partial<StoredAliasEntry> = entry.stored?.settings ?? { ...entry.value };
  return {
    name: entry.name,
    targets: targets.map((target) =>
      typeof target === 'string'
        ? { model: target, weight: 1 }
        : { model: target.model, weight: target.weight ?? 1 },
    ),
    strategy,
    fallbacks: [...fallbacks],
    shadow: shadowSettings(entry),
    ab: abSettings(entry),
    ...entryView(entry),
  };
}

/** The settings of an evaluation, with the names of the configuration file. */
function shadowSettings({ stored, value }: RegisteredAlias): Record<string, unknown> | null {
  if (stored) return isObject(stored.settings['shadow']) ? stored.settings['shadow'] : null;
  if (!value?.shadow) return null;
  const { model, share, user, experiment, metrics, judge, rubric, embedder, margin, confidence, maxRows } =
    value.shadow;
  return {
    ...omitUndefined({ model, share, user, experiment, metrics, judge, rubric, embedder }),
    margin,
    confidence,
    max_rows: maxRows,
  };
}

/** The settings of an A/B test, with the names of the configuration file. */
function abSettings({ stored, value }: RegisteredAlias): Record<string, unknown> | null {
  if (stored) return isObject(stored.settings['ab']) ? stored.settings['ab'] : null;
  if (!value?.ab) return null;
  const { model, share, by, metrics, judge, user, judgeShare, maxScore, windowMs, ...others } = value.ab;
  return {
    ...omitUndefined({ model, share, by, metrics, judge, user }),
    judge_share: judgeShare,
    max_score: maxScore,
    window: spanText(windowMs),
    margin: others.margin,
    confidence: others.confidence,
    max_rows: others.maxRows,
  };
}

export const pricingView = (price: Price) => ({
  model_key: price.modelKey,
  ...ratesView(price),
  ...unitsView(price.units),
  tiers: (price.tiers ?? []).map((tier) => ({ above_prompt_tokens: tier.aboveTokens, ...ratesView(tier) })),
  effective_at: rfc3339(price.effectiveAt),
});

/** Contains only the prices that are set. */
const unitsView = (units: UnitRates = {}): Partial<Record<UnitField, number>> =>
  Object.fromEntries(
    entriesOf(UNIT_FIELDS).flatMap(([name, field]) => {
      const amount = units[name];
      return amount === undefined ? [] : [[field, dollarsOf(amount)]];
    }),
  );

const ratesView = (rates: TokenRates) => ({
  input_price_per_million: dollarsOf(rates.input),
  output_price_per_million: dollarsOf(rates.output),
  cached_input_price_per_million: dollarsOrNull(rates.cachedInput),
  cache_write_price_per_million: dollarsOrNull(rates.cacheWrite ?? null),
  cache_write_1h_price_per_million: dollarsOrNull(rates.cacheWrite1h ?? null),
});

export const listedView = ({ name, listed }: ListedPrice) => ({ model: name, ...listed });

export const mapHead = ({ date, source, size }: PriceMap) => ({ date, source, models: size });

/** A model as listed by Gemini's API. */
export const geminiModelView = ({ id }: ModelEntry) => ({
  name: `models/${id}`,
  displayName: id,
  supportedGenerationMethods: ['generateContent', 'countTokens'],
});
