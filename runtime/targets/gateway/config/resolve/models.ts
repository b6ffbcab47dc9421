import { omitUndefined } from '../../../../core/json/omit-undefined.ts';
import { RETRY_POLICY, type RetryPolicy } from '../../shared/retry-plan.ts';
import { BREAKER_POLICY, type BreakerPolicy } from '../../ask/routing/circuit-breaker.ts';
import type { EncoderProgram, ProviderInstance } from '../../ask/providers/provider.ts';
import type { GatewayFile } from '../schemas/file.ts';
import type { ModelsConfig } from '../../ask/models/models-config.ts';
import { resolveAliases } from './aliases.ts';
import { type Path, type ResolveContext, timeIn } from './context.ts';
import { resolveEncoder } from './encoder.ts';
import { resolveGuardrails } from './guardrails.ts';
import { resolveLimits } from './limits.ts';
import type { KnownNames } from './model-names.ts';
import { resolvePricing } from './pricing.ts';
import { ENCODER, resolveProvider } from './provider.ts';

type Provider = ProviderInstance | EncoderProgram;

const ASSUMED_OUTPUT_TOKENS = 1024;
const MANY = { min: 1, max: 1_000_000_000 };

/** What can change while the gateway runs. */
export function resolveModels(context: ResolveContext, file: GatewayFile, names: KnownNames): ModelsConfig {
  const { given } = context;
  const shared = resolveLimits(context, [], { timeouts: file.timeouts });
  const providers = [
    ...entriesOf(context, ['providers'], file.providers).map(([path, entry]) =>
      resolveProvider(context, path, entry, shared),
    ),
    ...entriesOf(context, ['encoders'], file.encoders).map(([path, entry]) =>
      resolveEncoder(context, path, entry, shared),
    ),
  ].filter((provider) => provider !== undefined);
  refuseTwins(context, file, providers);
  if (file.require_pricing && file.allow_unpriced)
    context.report(['allow_unpriced'], 'conflicts with `require_pricing`; keep one of them', 'key');
  return {
    providers,
    aliases: resolveAliases(context, file.aliases ?? {}, names),
    routing: { retry: retryPolicy(context, file), breaker: breakerPolicy(context, file) },
    guardrails: resolveGuardrails(context, file.guardrails ?? {}, names),
    pricing: resolvePricing(context, file.pricing ?? {}, names),
    requirePricing: given.flag('require-pricing') ?? file.require_pricing ?? false,
    allowUnpriced: given.flag('allow-unpriced') ?? file.allow_unpriced ?? false,
    assumedOutputTokens:
      given.number('assumed-output-tokens', MANY) ?? file.assumed_output_tokens ?? ASSUMED_OUTPUT_TOKENS,
  };
}

/** Entries whose name a model string can hold. */
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
      'a name consists of letters, digits, `-`, `_` and `.`, and begins with a letter or digit',
      'key',
    );
    return [];
  });
}

/** Names are the same in upper and lower case, and encoders of both sections are models of the one provider `encoder`. */
function refuseTwins({ report }: ResolveContext, file: GatewayFile, providers: readonly Provider[]): void {
  const keyOf = ({ name, type }: Provider): string => (type === ENCODER ? `${ENCODER}:${name}` : name);
  const counts = Map.groupBy(providers, keyOf);
  const written = (['encoders', 'providers'] as const).flatMap((section) =>
    Object.keys(file[section] ?? {}).map((name) => [section, name] as const),
  );
  for (const [key, twins] of counts) {
    const [twin] = twins;
    if (twins.length < 2 || !twin) continue;
    const [section, name] = written.find(([, other]) => other.toLowerCase() === twin.name) ?? [
      'providers',
      key,
    ];
    report(
      [section, name],
      `there are two of this name; upper and lower case are the same. Rename one`,
      'key',
    );
  }
}

function retryPolicy(context: ResolveContext, { retries = {} }: GatewayFile): RetryPolicy {
  const time = (key: 'base_delay' | 'max_delay' | 'longest_pause'): number | undefined =>
    timeIn(context, ['retries', key], retries[key]);
  const [baseDelay, maxDelay] = [time('base_delay'), time('max_delay')];
  if (baseDelay !== undefined && maxDelay !== undefined && maxDelay < baseDelay) {
    context.report(['retries', 'max_delay'], 'is less than `base_delay`, with which the pauses begin');
  }
  const again = retries.attempts === undefined ? undefined : Math.max(0, retries.attempts - 1);
  const own = { retries: again, baseDelay, maxDelay, maxPause: time('longest_pause') };
  const policy = { ...RETRY_POLICY, ...omitUndefined(own) };
  // Who sets only one of the two is not to be held to the default of the other.
  return maxDelay === undefined
    ? { ...policy, maxDelay: Math.max(policy.baseDelay, policy.maxDelay) }
    : { ...policy, baseDelay: Math.min(policy.baseDelay, maxDelay) };
}

function breakerPolicy(context: ResolveContext, { breaker = {} }: GatewayFile): BreakerPolicy {
  const open = timeIn(context, ['breaker', 'open'], breaker.open);
  const maxOpen = timeIn(context, ['breaker', 'longest_open'], breaker.longest_open);
  const policy = { ...BREAKER_POLICY, ...omitUndefined({ failures: breaker.failures, open, maxOpen }) };
  // Who sets only the first is not to be refused on account of the default of the other.
  return { ...policy, maxOpen: Math.max(policy.open, policy.maxOpen) };
}
