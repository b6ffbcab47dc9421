import { omitUndefined } from '#core/json/omit-undefined.ts';
import type { RetryPolicy } from '#core/limits/retry-delay.ts';
import { RETRY_POLICY } from '../../shared/retry-plan.ts';
import { RETRY_BUDGET_POLICY } from '../../requests/routing/target-states.ts';
import { BREAKER_POLICY, type BreakerPolicy } from '../../requests/routing/target-breakers.ts';
import type { EncoderProgram, ProviderInstance } from '../../providers/adapters/provider.ts';
import { DEFAULTS } from '../defaults.ts';
import { type GatewayFile, models } from '../schemas/file.ts';
import { REQUEST_POLICY } from '../../providers/shapes/policies.ts';
import type { ModelsConfig } from '../../requests/models/models-config.ts';
import { resolveCache } from './cache.ts';
import { resolveAliases } from './aliases.ts';
import { type Path, type ResolveContext, timeIn } from './context.ts';
import { resolveEncoder } from './encoder.ts';
import { resolveGuardrails } from './guardrails.ts';
import { resolveLimits } from './limits.ts';
import type { KnownNames } from './model-names.ts';
import { resolvePromptPolicy } from './prompt-log.ts';
import { resolvePricing } from './pricing.ts';
import { ENCODER, resolveProvider } from './provider.ts';

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
  };
}

/** Returns the entries whose name can be the provider prefix of a model. */
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

/** Reports duplicate names. Names are case-insensitive, and encoders of both sections share the provider prefix `encoder`. */
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
  // If only one of the two is set, the default of the other follows it, so that the pair is valid.
  return maxDelay === undefined
    ? { ...policy, maxDelay: Math.max(policy.baseDelay, policy.maxDelay) }
    : { ...policy, baseDelay: Math.min(policy.baseDelay, maxDelay) };
}

function breakerPolicy(context: ResolveContext, { breaker = {} }: GatewayFile): BreakerPolicy {
  const open = timeIn(context, ['breaker', 'open'], breaker.open);
  const maxOpen = timeIn(context, ['breaker', 'longest_open'], breaker.longest_open);
  const policy = { ...BREAKER_POLICY, ...omitUndefined({ failures: breaker.failures, open, maxOpen }) };
  // If only `open` is set, the default of `longest_open` follows it, so that the pair is valid.
  return { ...policy, maxOpen: Math.max(policy.open, policy.maxOpen) };
}
