import type { Clock } from '#platform/clock.ts';
import type { Provider, ProviderInstance, ProviderLimits, Upstream } from './provider.ts';

export interface CloudParts {
  readonly instance: ProviderInstance;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  /** Connects to the address of the provider, or to another one, with headers for every request. */
  readonly connect: (headers: Readonly<Record<string, string>>, baseUrl?: string) => Upstream;
}

export type OpenCloud<Settings> = (settings: Settings, parts: CloudParts) => Provider;
