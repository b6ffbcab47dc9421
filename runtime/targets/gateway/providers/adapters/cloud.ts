import { failure } from './failure.ts';
import type { Provider, ProviderInstance, ProviderLimits } from './provider.ts';
import type { Upstream } from './upstream.ts';
import type { Clock } from '#platform/clock.ts';
import type { KeyPool } from './keys/key-pool.ts';

/**
 * A provider whose models have different APIs. `pick` selects the API for a call; `first` provides the
 * members that all of the APIs share.
 */
export function byModel(
  first: Provider,
  pick: (call: { readonly model: string }) => Provider,
  others: Partial<Provider> = {},
): Provider {
  return {
    ...first,
    chat: (call) => pick(call).chat(call),
    embed: (call) => pick(call).embed(call),
    relay: (call) => pick(call).relay(call),
    countTokens: async (call) => (await pick(call).countTokens?.(call)) ?? failure('unsupported'),
    ...others,
  };
}

/** A provider that is called with different model names. */
export function withModelNames(provider: Provider, nameOf: (model: string) => string): Provider {
  const renamed = <Call extends { readonly model: string }>(call: Call): Call => ({
    ...call,
    model: nameOf(call.model),
  });
  const { countTokens } = provider;
  return {
    ...provider,
    chat: (call) => provider.chat(renamed(call)),
    embed: (call) => provider.embed(renamed(call)),
    relay: (call) => provider.relay(renamed(call)),
    countTokens: countTokens && ((call) => countTokens(renamed(call))),
  };
}

export interface CloudParts {
  readonly instance: ProviderInstance;
  /** The pool of `instance.keys`. */
  readonly pool: KeyPool | undefined;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  /** Connects to the provider's address or to another address, and adds headers to every request. */
  readonly connect: (headers: Readonly<Record<string, string>>, baseUrl?: string) => Upstream;
}

export type OpenCloud<Settings> = (settings: Settings, parts: CloudParts) => Provider;
