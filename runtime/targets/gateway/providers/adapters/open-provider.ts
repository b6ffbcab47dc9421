import type { Clock } from '#platform/clock.ts';
import { anthropicAdapter } from './anthropic/adapter.ts';
import { type CloudKind, isCloud, type SettingsOfClouds } from './cloud-settings.ts';
import type { CloudParts, OpenCloud } from './cloud.ts';
import {
  type EncoderProgram,
  type Provider,
  type ProviderAdapter,
  type ProviderInstance,
  PROVIDER_LIMITS,
  type ProviderType,
} from './provider.ts';
import { encoderAdapter, createEncoderProvider } from './encoder/encoder-provider.ts';
import type { EncoderAddress } from '#serve/encoder/keep-encoder.ts';
import type { WatchChild } from '#serve/encoder/start-encoder.ts';
import { followEncoder, superviseEncoder } from './encoder/supervised-upstream.ts';
import { geminiAdapter } from './gemini/adapter.ts';
import { openAzure } from './azure/open.ts';
import { openBedrock } from './bedrock/open.ts';
import { configError } from '#contract/errors.ts';
import { openVertex } from './vertex/open.ts';
import type { TurnsOf } from './provider-turns.ts';
import { createUpstream } from './upstream.ts';
import { openAiAdapter } from './openai/adapter.ts';
import { createProvider } from './create-provider.ts';
import { createKeyPool } from './keys/key-pool.ts';
import type { KeyEvent } from './keys/key-state.ts';

export interface OpenProviderOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Registers the processes of the executables that were started. */
  readonly watch?: WatchChild | undefined;
  /** Called with each line that a started executable logs. */
  readonly onLine: (line: string) => void;
  /** Called when an executable exits or fails to start. Default: `onLine`. */
  readonly onTrouble?: (line: string) => void;
  /** Additional environment variables for the executables. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Returns the address of an executable that another thread has started; undefined in the main thread. */
  readonly encoderAddress?: ((name: string) => Promise<EncoderAddress>) | undefined;
  /** Limits concurrent requests. Default: each provider's client has its own limit. */
  readonly turnsOf?: TurnsOf | undefined;
  /** Called when one of a provider's keys begins to cool down, or works again. */
  readonly onKeyEvent?: ((event: KeyEvent) => void) | undefined;
}

type OwnType = Exclude<ProviderType, CloudKind>;

const ADAPTERS: Readonly<Record<OwnType, (instance: ProviderInstance) => ProviderAdapter>> = {
  openai: ({ dialect, baseUrl }) => openAiAdapter(dialect, { isGoogle: isGoogle(baseUrl) }),
  anthropic: () => anthropicAdapter,
  gemini: () => geminiAdapter,
  encoder: () => encoderAdapter,
};

/** Whether an address belongs to Google's OpenAI-compatible API, the only one with `extra_content`. */
const isGoogle = (url: string): boolean => new URL(url).hostname.endsWith('.googleapis.com');

const CLOUD_OPENERS: { readonly [Kind in CloudKind]: OpenCloud<SettingsOfClouds[Kind]> } = {
  azure: openAzure,
  bedrock: openBedrock,
  vertex: openVertex,
};

const openCloud = <Kind extends CloudKind>(
  kind: Kind,
  settings: SettingsOfClouds[Kind],
  parts: CloudParts,
): Provider => CLOUD_OPENERS[kind](settings, parts);

/** Opens a configured provider. Throws a ConfigError if its URL is not allowed. */
export function openProvider(
  instance: ProviderInstance | EncoderProgram,
  { clock, random, onLine, onTrouble, watch, env, encoderAddress, turnsOf, onKeyEvent }: OpenProviderOptions,
): Provider {
  const { name } = instance;
  const limits = { ...PROVIDER_LIMITS, ...instance.limits };
  if ('path' in instance) {
    const { path } = instance;
    const parts = { name, apiKey: undefined, program: path, limits, clock };
    if (encoderAddress) {
      const upstream = followEncoder({ name, limits, turnsOf, address: () => encoderAddress(name) });
      return createEncoderProvider({ ...parts, upstream });
    }
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
      turnsOf,
    });
    return { ...createEncoderProvider({ ...parts, upstream }), encoderAddress: upstream.address };
  }
  const { apiKey, baseUrl, local, headers } = instance;
  const connect: CloudParts['connect'] = (own, address = baseUrl) =>
    createUpstream({ name, baseUrl: address, local, headers: { ...own, ...headers }, limits, turnsOf });
  const [key, ...otherKeys] = instance.keys ?? [];
  const pool =
    key && createKeyPool({ provider: name, keys: [key, ...otherKeys], clock, random, onEvent: onKeyEvent });
  const { cloud } = instance;
  if (cloud) return openCloud(cloud.kind, cloud, { instance, pool, limits, clock, connect });
  const { type } = instance;
  if (isCloud(type)) throw configError(`Provider \`${name}\`: type ${type} has no settings.`);
  const adapter = ADAPTERS[type](instance);
  const upstream = connect(adapter.headers(apiKey));
  if (type === 'encoder') return createEncoderProvider({ name, apiKey, upstream, limits, clock });
  return createProvider({ instance, pool, adapter, upstream, limits, clock });
}
