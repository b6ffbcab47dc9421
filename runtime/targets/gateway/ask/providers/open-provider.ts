import type { Clock } from '../../../../platform/clock.ts';
import { anthropicAdapter } from './anthropic/adapter.ts';
import {
  type EncoderProgram,
  type Provider,
  type ProviderAdapter,
  type ProviderInstance,
  PROVIDER_LIMITS,
  type ProviderType,
} from './provider.ts';
import { encoderAdapter } from './encoder/adapter.ts';
import type { WatchChild } from './encoder/child.ts';
import { createEncoderProvider } from './encoder/encoder-provider.ts';
import { superviseEncoder } from './encoder/supervised-upstream.ts';
import { geminiAdapter } from './gemini/adapter.ts';
import { createUpstream } from './http/upstream.ts';
import { openAiAdapter } from './openai/adapter.ts';
import { createProvider } from './create-provider.ts';

export interface OpenOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Registers the processes of started executables. */
  readonly watch?: WatchChild | undefined;
  /** Called with each log line of a started executable. */
  readonly onLine: (line: string) => void;
  /** Called when a started executable ended or does not start. Default: `onLine`. */
  readonly onTrouble?: (line: string) => void;
  /** Additional environment variables of started executables. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const ADAPTERS: Readonly<Record<ProviderType, (instance: ProviderInstance) => ProviderAdapter>> = {
  openai: ({ dialect }) => openAiAdapter(dialect),
  anthropic: () => anthropicAdapter,
  gemini: () => geminiAdapter,
  encoder: () => encoderAdapter,
};

/** Opens a configured provider. Throws a ConfigError if its URL is not allowed. */
export function openProvider(
  instance: ProviderInstance | EncoderProgram,
  { clock, random, onLine, onTrouble, watch, env }: OpenOptions,
): Provider {
  const { name } = instance;
  const limits = { ...PROVIDER_LIMITS, ...instance.limits };
  if ('path' in instance) {
    const { path } = instance;
    const upstream = superviseEncoder({
      name,
      path,
      limits,
      clock,
      random,
      onLine,
      onTrouble,
      watch,
      env,
    });
    return createEncoderProvider({ name, apiKey: undefined, upstream, limits, clock });
  }
  const { apiKey, baseUrl, local, headers } = instance;
  const adapter = ADAPTERS[instance.type](instance);
  const upstream = createUpstream({
    name,
    baseUrl,
    local,
    headers: { ...adapter.headers(apiKey), ...headers },
    limits,
  });
  if (instance.type === 'encoder') return createEncoderProvider({ name, apiKey, upstream, limits, clock });
  return createProvider({ instance, adapter, upstream, limits, clock });
}
