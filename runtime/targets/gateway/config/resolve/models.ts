import { omitUndefined } from '#core/json/omit-undefined.ts';
import type { RetryPolicy } from '#core/limits/retry-delay.ts';
import { RETRY_POLICY } from '../../shared/retry-plan.ts';
import {
  RETRY_BUDGET_POLICY,
  BREAKER_POLICY,
  type BreakerPolicy,
} from '../../requests/routing/target-states.ts';
import type { EncoderProgram, ProviderInstance } from '../../providers/adapters/provider.ts';
import { DEFAULTS } from '../defaults.ts';
import { type GatewayFile, models } from '../schemas/file.ts';
import { REQUEST_POLICY } from '../../providers/shapes/policies.ts';
import type { ModelsConfig } from '../../requests/models/models-config.ts';
import { type Path, type ResolveContext, timeIn } from './context.ts';
import { dollarsIn } from './dollars.ts';
import { resolveEncoder } from './encoder.ts';
import { resolveLimits } from './limits.ts';
import { type KnownNames, modelProblem } from './model-names.ts';
import { resolveAffinity } from './affinity.ts';
import { resolveIdempotency } from './idempotency.ts';
import { resolveQueue } from './queue.ts';
import { resolveTools } from './tools.ts';
import { resolvePromptPolicy } from './prompt-log.ts';
import { ENCODER, resolveProvider } from './provider.ts';
import { resolveEvaluation } from './shadow.ts';
import {
  CACHE_DEFAULTS,
  type CacheSettings,
  SEMANTIC_DEFAULTS,
  type SemanticSettings,
} from '../../requests/cache/cache-settings.ts';
import type { Alias, WeightedTarget } from '../../requests/routing/routing.ts';
import type { AliasEntry, TargetEntry } from '../schemas/routing.ts';
import { didYouMean } from '#core/text/suggest.ts';
import type { GuardrailPlace, GuardrailProfile, GuardrailRule } from '../../requests/guardrails/guardrail.ts';
import { placeProblem, restoreProblem } from '../../requests/guardrails/read-rules.ts';
import type { GuardrailsEntry } from '../schemas/guardrails.ts';
import { resolveProfile } from './guardrail-profile.ts';
import type { Nanos } from '../../shared/money.ts';
import type { TokenRates } from '../../shared/price.ts';
import { parseTimestamp } from '#core/time/timestamp.ts';
import type { NewPrice } from '../../accounts/ledger/ledger.ts';
import { tryModelKey } from '../../accounts/ledger/model-key.ts';
import { type RateField, readRates, TIER_FIELD } from '../../accounts/ledger/price-fields.ts';
import { readUnits } from '../../accounts/ledger/price-units.ts';
import { tierProblem } from '../../accounts/ledger/price-tiers.ts';
import type { PriceEntry } from '../schemas/prices.ts';

type Provider = ProviderInstance | EncoderProgram;

const TOKENS = { min: 1, max: 1_000_000_000 };

/** Resolves the part of the configuration that a reload can change. */
export function resolveModels(context: ResolveContext, file: GatewayFile, names: KnownNames): ModelsConfig {
  const { flagsAndEnv } = context;
  const shared = resolveLimits(context, [], { timeouts: file.timeouts });
  const providers = [
    ...entriesOf(context, ['providers'], file.providers).map(([path, entry]) =>
      resolveProvider(context, path, entry, shared, file.price_map),
    ),
    ...entriesOf(context, ['encoders'], file.encoders).map(([path, entry]) =>
      resolveEncoder(context, path, entry, shared),
    ),
  ].filter((provider) => provider !== undefined);
  refuseDuplicates(context, file, providers);
  if (file.require_pricing && file.allow_unpriced)
    context.report(['allow_unpriced'], 'conflicts with `require_pricing`; keep one of them', 'key');
  return {
    providers,
    aliases: resolveAliases(context, file.aliases ?? {}, names),
    routing: {
      retry: retryPolicy(context, file),
      breaker: breakerPolicy(context, file),
      retryBudget: {
        percent: file.retries?.budget_percent ?? RETRY_BUDGET_POLICY.percent,
        perSecond: file.retries?.budget_per_second ?? RETRY_BUDGET_POLICY.perSecond,
      },
    },
    affinity: resolveAffinity(context, file.affinity),
    guardrails: resolveGuardrails(context, file.guardrails ?? {}, names),
    pricing: resolvePricing(context, file.pricing ?? {}, names),
    requirePricing:
      flagsAndEnv.flag('require-pricing') ?? file.require_pricing ?? models.require_pricing.default,
    allowUnpriced: flagsAndEnv.flag('allow-unpriced') ?? file.allow_unpriced ?? models.allow_unpriced.default,
    requests: {
      userField: file.requests?.user_field ?? REQUEST_POLICY.userField,
      unsupportedTools: file.requests?.unsupported_tools ?? REQUEST_POLICY.unsupportedTools,
    },
    prompts: resolvePromptPolicy(context, file),
    assumedOutputTokens:
      flagsAndEnv.number('assumed-output-tokens', TOKENS) ??
      file.assumed_output_tokens ??
      DEFAULTS.assumedOutputTokens,
    cache: resolveCache(context, file.cache, names),
    idempotency: resolveIdempotency(context, file),
    queue: resolveQueue(context, file),
    tools: resolveTools(context, file.tools),
  };
}

/** Returns the entries whose name can be a model's provider prefix. */
function entriesOf<Entry>(
  { report }: ResolveContext,
  path: Path,
  entries: Readonly<Record<string, Entry>> = {},
): (readonly [Path, Entry])[] {
  return Object.entries(entries).flatMap(([name, entry]) => {
    const own = [...path, name];
    if (/^[a-z0-9][a-z0-9_.-]*$/i.test(name)) return [[own, entry] as const];
    report(
      own,
      'a name must consist of letters, digits, `-`, `_` and `.`, and begin with a letter or digit',
      'key',
    );
    return [];
  });
}

/**
 * Reports duplicate names. Names are case-insensitive, and encoders from both sections share the provider
 * prefix `encoder`.
 */
function refuseDuplicates(
  { report }: ResolveContext,
  file: GatewayFile,
  providers: readonly Provider[],
): void {
  const keyOf = ({ name, type }: Provider): string => (type === ENCODER ? `${ENCODER}:${name}` : name);
  const groups = Map.groupBy(providers, keyOf);
  const written = (['encoders', 'providers'] as const).flatMap((section) =>
    Object.keys(file[section] ?? {}).map((name) => [section, name] as const),
  );
  for (const [key, duplicates] of groups) {
    const [duplicate] = duplicates;
    if (duplicates.length < 2 || !duplicate) continue;
    const [section, name] = written.find(([, other]) => other.toLowerCase() === duplicate.name) ?? [
      'providers',
      key,
    ];
    report([section, name], 'duplicate name; names are case-insensitive. Rename one of them', 'key');
  }
}

function retryPolicy(context: ResolveContext, { retries = {} }: GatewayFile): RetryPolicy {
  const time = (key: 'base_delay' | 'max_delay' | 'longest_pause'): number | undefined =>
    timeIn(context, ['retries', key], retries[key]);
  const [baseDelay, maxDelay] = [time('base_delay'), time('max_delay')];
  if (baseDelay !== undefined && maxDelay !== undefined && maxDelay < baseDelay) {
    context.report(['retries', 'max_delay'], 'must not be less than `base_delay`');
  }
  const retryCount = retries.attempts === undefined ? undefined : Math.max(0, retries.attempts - 1);
  const own = { retries: retryCount, baseDelay, maxDelay, maxPause: time('longest_pause') };
  const policy = { ...RETRY_POLICY, ...omitUndefined(own) };
  // If only one of the two is set, the other's default is derived from it, so that the pair is valid.
  return maxDelay === undefined
    ? { ...policy, maxDelay: Math.max(policy.baseDelay, policy.maxDelay) }
    : { ...policy, baseDelay: Math.min(policy.baseDelay, maxDelay) };
}

function breakerPolicy(context: ResolveContext, { breaker = {} }: GatewayFile): BreakerPolicy {
  const open = timeIn(context, ['breaker', 'open'], breaker.open);
  const maxOpen = timeIn(context, ['breaker', 'longest_open'], breaker.longest_open);
  const policy = { ...BREAKER_POLICY, ...omitUndefined({ failures: breaker.failures, open, maxOpen }) };
  // If only `open` is set, the default of `longest_open` is derived from it, so that the pair is valid.
  return { ...policy, maxOpen: Math.max(policy.open, policy.maxOpen) };
}

type CacheEntry = NonNullable<GatewayFile['cache']>;

function resolveCache(
  context: ResolveContext,
  entry: CacheEntry | undefined,
  names: KnownNames,
): CacheSettings | undefined {
  if (!entry) return undefined;
  return {
    ...CACHE_DEFAULTS,
    ...omitUndefined({
      scope: entry.scope,
      store: entry.store,
      ttlMs: timeIn(context, ['cache', 'ttl'], entry.ttl),
      maxBytes: entry.max_bytes,
      maxStoredBytes: entry.max_stored_bytes,
      maxAnswerBytes: entry.max_answer_bytes,
      models: entry.models,
      toolCalls: entry.tool_calls,
      sampled: entry.sampled,
    }),
    semantic: entry.semantic && resolveSemantic(context, entry.semantic, names),
  };
}

function resolveSemantic(
  context: ResolveContext,
  entry: NonNullable<CacheEntry['semantic']>,
  names: KnownNames,
): SemanticSettings {
  const problem = modelProblem(`encoder:${entry.encoder}`, names);
  if (problem !== undefined) context.report(['cache', 'semantic', 'encoder'], problem);
  return {
    ...SEMANTIC_DEFAULTS,
    encoder: entry.encoder.toLowerCase(),
    ...omitUndefined({
      threshold: entry.threshold,
      question: entry.question,
      maxEntries: entry.max_entries,
      maxCharacters: entry.max_characters,
      timeoutMs: timeIn(context, ['cache', 'semantic', 'timeout'], entry.timeout),
    }),
  };
}

function resolveAliases(
  context: ResolveContext,
  aliases: Readonly<Record<string, AliasEntry>>,
  names: KnownNames,
): Alias[] {
  const model = (path: Path, text: string): string => {
    const isAlias = Object.hasOwn(aliases, text);
    const problem = isAlias
      ? 'is an alias; list the models of that alias instead'
      : modelProblem(text, names);
    if (problem !== undefined) context.report(path, isAlias ? `${JSON.stringify(text)} ${problem}` : problem);
    return text;
  };
  const target = (path: Path, entry: TargetEntry): WeightedTarget =>
    typeof entry === 'string'
      ? { model: model(path, entry) }
      : { model: model([...path, 'model'], entry.model), weight: entry.weight };
  const targets = (path: Path, entries: readonly TargetEntry[]): WeightedTarget[] =>
    entries.map((entry, index) => target([...path, String(index)], entry));

  return Object.entries(aliases).map(([name, entry]) => {
    const path = ['aliases', name];
    if (name.trim() === '') context.report(path, 'an alias must have a name', 'key');
    if (typeof entry === 'string') return { name, targets: [target(path, entry)] };
    if (!('targets' in entry)) return { name, targets: targets(path, entry) };
    const served = targets([...path, 'targets'], entry.targets);
    const fallbacks = (entry.fallbacks ?? []).map((text, index) =>
      model([...path, 'fallbacks', String(index)], text),
    );
    return {
      name,
      targets: served,
      ...(entry.strategy && { strategy: entry.strategy }),
      fallbacks,
      ...resolveEvaluation(
        entry,
        [...served.map((one) => one.model), ...fallbacks],
        (text) => (Object.hasOwn(aliases, text) ? ALIAS_RULE : modelProblem(text, names)),
        (section, key, problem) =>
          context.report([...path, section, ...(key === undefined ? [] : [key])], problem),
      ),
    };
  });
}

const ALIAS_RULE = 'is an alias; use a model of that alias instead';

type RuleEntry = NonNullable<GuardrailsEntry['policy']>[number];

function resolveGuardrails(
  context: ResolveContext,
  { profiles = {}, policy = [], realtime }: GuardrailsEntry,
  names: KnownNames,
): ModelsConfig['guardrails'] {
  const resolved = Object.entries(profiles).flatMap(
    ([name, entry]) => resolveProfile(context, name, entry, names) ?? [],
  );
  const parts = { context, names, profiles: new Map(resolved.map((profile) => [profile.name, profile])) };
  return {
    profiles: resolved,
    demanded: policy.map((entry, index) => resolveRule(parts, String(index), entry)),
    allowsSessions: realtime === 'allow',
  };
}

interface RuleParts {
  readonly context: ResolveContext;
  readonly names: KnownNames;
  readonly profiles: ReadonlyMap<string, GuardrailProfile>;
}

function resolveRule(
  { context: { report }, names: { profiles: names }, profiles }: RuleParts,
  index: string,
  { profile, mode = 'block', on_unavailable: onUnavailable = mode, on: given, restore }: RuleEntry,
): GuardrailRule {
  const path = ['guardrails', 'policy', index];
  if (!names.includes(profile)) {
    const hint = didYouMean(profile, names);
    report([...path, 'profile'], `there is no profile \`${profile}\`${hint || ' in `guardrails.profiles`'}`);
  }
  const used = profiles.get(profile);
  const on = given ?? (used?.kind === 'schema' ? 'output' : 'input');
  const places = typeof on === 'string' ? (on === 'both' ? PLACES : [on]) : on;
  for (const place of places.filter((one) => !isPlace(one))) {
    report(
      [...path, 'on'],
      `expected input, output or both, found ${JSON.stringify(place)}${didYouMean(place, PLACES)}`,
    );
  }
  const known = places.filter(isPlace);
  const restored = restore === undefined ? {} : { isRestored: restore };
  const problems = used && {
    on: placeProblem(used, known),
    restore: restoreProblem(used, { ...restored, on: known }),
  };
  for (const [key, problem] of Object.entries(problems ?? {}))
    if (problem !== undefined) report([...path, key], `the profile \`${profile}\` ${problem}`);
  return { profile, mode, onUnavailable, on: known, ...restored };
}

const PLACES: readonly GuardrailPlace[] = ['input', 'output'];
const isPlace = (text: string): text is GuardrailPlace => PLACES.some((place) => place === text);

function resolvePricing(
  context: ResolveContext,
  pricing: Readonly<Record<string, PriceEntry>>,
  names: KnownNames,
): NewPrice[] {
  return Object.entries(pricing).flatMap(([key, entry]) => {
    const path = ['pricing', key];
    const modelKey = tryModelKey(key);
    if (modelKey === undefined) {
      context.report(path, 'expected `provider:model`', 'key');
      return [];
    }
    const unknown = modelProblem(key, names);
    if (unknown !== undefined) context.warn(`pricing: ${JSON.stringify(key)}: ${unknown}.`);
    const { effective_at: from, tiers = [] } = entry;
    const resolved = {
      modelKey,
      ...ratesIn(context, path, entry),
      units: readUnits((field) =>
        entry[field] === undefined ? null : dollarsIn(context, [...path, field], entry[field]),
      ),
      tiers: tiers.map((tier, index) => ({
        aboveTokens: tier[TIER_FIELD],
        ...ratesIn(context, [...path, 'tiers', String(index)], tier),
      })),
      effectiveAt: from === undefined ? undefined : timeOf(context, [...path, 'effective_at'], from),
    };
    const problem = tierProblem(resolved);
    if (problem !== undefined) context.report([...path, 'tiers'], problem);
    return resolved;
  });
}

type RateEntry = Readonly<Partial<Record<RateField, string | number>>>;

function ratesIn(context: ResolveContext, path: Path, entry: RateEntry): TokenRates {
  const amount = (field: RateField): Nanos => dollarsIn(context, [...path, field], entry[field]);
  return readRates(amount, (field) => (entry[field] === undefined ? null : amount(field)));
}

function timeOf({ report }: ResolveContext, path: Path, text: string): number {
  const found = parseTimestamp(text);
  if (found === undefined)
    report(
      path,
      `expected a date or time such as 2026-01-31 or 2026-01-31T08:00:00Z, found ${JSON.stringify(text)}`,
    );
  return found ?? 0;
}
