import type { Clock } from '../../../../platform/clock.ts';
import type { AzureSettings } from './azure/open.ts';
import type { BedrockSettings } from './bedrock/open.ts';
import type { Provider, ProviderInstance, ProviderLimits, Upstream } from './provider.ts';
import type { VertexSettings } from './vertex/open.ts';

/** What the providers of the clouds need besides an address and a key. */
export type CloudSettings = AzureSettings | BedrockSettings | VertexSettings;

export interface CloudParts {
  readonly instance: ProviderInstance;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  /** Connects to the address of the provider, or to another one, with headers for every request. */
  readonly connect: (headers: Readonly<Record<string, string>>, baseUrl?: string) => Upstream;
}

export type OpenCloud<Settings> = (settings: Settings, parts: CloudParts) => Provider;
