import { fileState } from '#platform/file-state.ts';
import { sha256 } from '#platform/sha256.ts';
import type { EncoderProgram, Provider, ProviderInstance } from '../../providers/adapters/provider.ts';
import type { CacheSettings } from './cache-settings.ts';

/**
 * A model set's cache settings, together with everything that its responses depend on in addition to the
 * request.
 */
export interface ModelCache {
  readonly settings: CacheSettings;
  /** What a provider's responses depend on: its address or its program. */
  readonly origin: (provider: Pick<Provider, 'type' | 'name'>) => string;
  /** Digest of the other settings that responses depend on. */
  readonly shared: string;
}

/**
 * Creates the cache settings for a configuration. After a change to a provider, its earlier responses are no
 * longer found.
 */
export function createModelCache(
  settings: CacheSettings,
  providers: readonly (ProviderInstance | EncoderProgram)[],
  /** Other settings that responses depend on. */
  others: unknown,
): ModelCache {
  const keyOf = ({ type, name }: Pick<Provider, 'type' | 'name'>): string => `${type} ${name}`;
  const origins = new Map(providers.map((config) => [keyOf(config), originOf(config)]));
  return {
    settings,
    origin: (provider) => origins.get(keyOf(provider)) ?? '',
    shared: sha256(JSON.stringify(others)),
  };
}

const originOf = (config: ProviderInstance | EncoderProgram): string =>
  'path' in config
    ? `${config.path} ${fileState(config.path)}`
    : JSON.stringify([config.type, config.baseUrl, config.dialect]);
