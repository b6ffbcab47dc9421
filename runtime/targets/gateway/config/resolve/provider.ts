import { omitUndefined } from '#core/json/omit-undefined.ts';
import { didYouMean } from '#core/text/suggest.ts';
import type {
  EncoderProgram,
  OpenAiDialect,
  ProviderInstance,
  ProviderLimits,
} from '../../providers/adapters/provider.ts';
import { type Preset, PRESETS } from '../../providers/adapters/presets.ts';
import type { ProviderEntry } from '../schemas/providers.ts';
import { CLOUDS, isCloud } from '../../providers/adapters/cloud-settings.ts';
import { foreignKeys, RESOLVE_CLOUD } from './clouds/index.ts';
import { isLocalUrl, readBaseUrl } from './base-url.ts';
import { withCommonPath } from './common-path.ts';
import { type Path, type ResolveContext, timeIn } from './context.ts';
import { resolveEncoder } from './encoder.ts';
import { resolveLimits } from './limits.ts';
import { resolvePoolKeys } from './pool-keys.ts';
import { keyVariables } from './provider-keys.ts';
import { sendableHeaders, sendableKey } from './sendable.ts';

type PresetWithoutUrl = Omit<Preset, 'baseUrl'> & { readonly baseUrl?: undefined };

/** A server with an OpenAI-compatible API, whose address must be configured. */
const COMPATIBLE: PresetWithoutUrl = { type: 'openai' };
const COMPATIBLE_NAMES = ['openai-compatible', 'openai_compatible'];
export const ENCODER = 'encoder';

/** Resolves an entry in `providers`; undefined if invalid, which is reported. */
export function resolveProvider(
  context: ResolveContext,
  path: Path,
  entry: ProviderEntry,
  shared: Partial<ProviderLimits>,
  usesPriceMap = true,
): ProviderInstance | EncoderProgram | undefined {
  const { report } = context;
  const name = (path.at(-1) ?? '').toLowerCase();
  if (entry.type !== undefined && entry.provider_type !== undefined) {
    report([...path, 'provider_type'], 'conflicts with `type`; keep one of them', 'key');
    return undefined;
  }
  const typeKey = entry.provider_type === undefined ? 'type' : 'provider_type';
  const type = (entry[typeKey] ?? name).toLowerCase();
  if (type === ENCODER) {
    const { path: program, api_base: url, api_key, headers, local, timeouts, max_connections } = entry;
    if (entry.keys !== undefined)
      report([...path, 'keys'], 'is not supported by type encoder; use `api_key`', 'key');
    const own = omitUndefined({ path: program, url, api_key, headers, local, timeouts, max_connections });
    return resolveEncoder(context, path, own, shared);
  }
  if (entry.path !== undefined) {
    report([...path, 'path'], 'requires type encoder; other types use `api_base`', 'key');
  }
  for (const [key, owner] of foreignKeys(entry, type)) {
    report([...path, key], `requires type ${owner}`, 'key');
  }
  const preset = presetOf(type);
  if (!preset) {
    const known = [...Object.keys(PRESETS), ...Object.keys(CLOUDS), COMPATIBLE_NAMES[0] ?? '', ENCODER];
    const isNamed = entry[typeKey] !== undefined;
    const hint = didYouMean(type, known) || `; known types are ${known.join(', ')}`;
    report(
      isNamed ? [...path, typeKey] : path,
      isNamed
        ? `unknown type \`${type}\`${hint}`
        : `\`${name}\` is not a preset and requires a \`type\`${hint}`,
      isNamed ? 'value' : 'key',
    );
    return undefined;
  }
  const written = readBaseUrl(context, path, 'api_base', entry.api_base);
  if (written === undefined && entry.api_base !== undefined) return undefined;
  const ownUrl = written === undefined ? preset.baseUrl : withCommonPath(written, preset.type);
  const ownKey = sendableKey(context, [...path, 'api_key'], entry.api_key);
  const keys = resolvePoolKeys(context, path, entry);
  // Clouds have other credentials that conflict with a key, and that a key replaces.
  const anyKey = ownKey ?? keys?.[0]?.apiKey;
  if (keys && type === 'vertex') report([...path, 'keys'], 'is not supported by type vertex', 'key');
  const cloud = isCloud(type)
    ? RESOLVE_CLOUD[type]({ context, path, entry, written: ownUrl, apiKey: anyKey })
    : undefined;
  if (isCloud(type) && !cloud) return undefined;
  const baseUrl = cloud?.baseUrl ?? ownUrl;
  if (baseUrl === undefined) {
    report(path, `type ${type} has no default address; set \`api_base\``, 'key');
    return undefined;
  }
  const apiKey = keys
    ? undefined
    : cloud
      ? cloud.apiKey
      : (ownKey ?? keyFromEnvironment(context, path, { name, type, hasBase: entry.api_base !== undefined }));
  const headers = {
    ...sendableHeaders(
      context,
      [...path, 'client_args', 'custom_headers'],
      entry.client_args?.custom_headers,
    ),
    ...sendableHeaders(context, [...path, 'headers'], entry.headers),
  };
  const models = entry.models ?? (entry.deployments && Object.keys(entry.deployments));
  const usesMap = context.flagsAndEnv.flag('price-map') ?? usesPriceMap;
  const listed = usesMap ? listedAs({ pricedAs: entry.priced_as, type, preset, baseUrl }) : undefined;
  return {
    name,
    type: preset.type,
    baseUrl,
    apiKey,
    ...(keys && { keys }),
    headers,
    local: entry.local ?? (preset.local === true || isLocalUrl(baseUrl)),
    ...(models && { models }),
    limits: { ...shared, ...timeoutOf(context, path, entry), ...resolveLimits(context, path, entry) },
    dialect: { ...preset.dialect, ...dialectOf(entry) },
    ...(listed !== undefined && { listedAs: listed }),
    ...(cloud && { cloud: cloud.cloud, secrets: cloud.secrets }),
  };
}

function presetOf(type: string): Preset | PresetWithoutUrl | undefined {
  if (COMPATIBLE_NAMES.includes(type)) return COMPATIBLE;
  // Its address depends on the resource or the region.
  if (isCloud(type)) return { type };
  return Object.hasOwn(PRESETS, type) ? PRESETS[type] : undefined;
}

interface PresetKeyLookup {
  readonly name: string;
  readonly type: string;
  readonly hasBase: boolean;
}

/** Reads a preset's key from its variable. The key is not sent to other addresses that only share the preset's type. */
function keyFromEnvironment(
  context: ResolveContext,
  path: Path,
  { name, type, hasBase }: PresetKeyLookup,
): string | undefined {
  if (hasBase && name !== type) return undefined;
  const variable = keyVariables(type).find(
    (candidate) => context.flagsAndEnv.variable(candidate) !== undefined,
  );
  return variable && sendableKey(context, path, context.flagsAndEnv.variable(variable), variable);
}

function timeoutOf(
  context: ResolveContext,
  path: Path,
  { client_args: args }: ProviderEntry,
): Partial<ProviderLimits> {
  const timeout = timeIn(context, [...path, 'client_args', 'timeout'], args?.timeout);
  return timeout === undefined
    ? {}
    : { connectMs: timeout, firstByteMs: timeout, answerMs: timeout, idleMs: timeout };
}

const dialectOf = ({ dialect = {} }: ProviderEntry): Partial<OpenAiDialect> =>
  omitUndefined({
    maxTokens: dialect.max_tokens_field,
    streamUsage: dialect.stream_usage,
    hasResponses: dialect.responses,
  });

interface PricedProvider {
  /** The configured `priced_as`. */
  readonly pricedAs: string | undefined;
  readonly type: string;
  readonly preset: Pick<Preset, 'local'>;
  readonly baseUrl: string;
}

/** Value of `priced_as` for no published prices. */
const NONE = 'none';

/**
 * The provider whose published prices apply. Without `priced_as`, that is the preset, provided that the
 * address is the preset's own or a subdomain of it: the prices of a proxy or a self-hosted server are
 * unknown.
 */
function listedAs({ pricedAs, type, preset, baseUrl }: PricedProvider): string | undefined {
  if (pricedAs !== undefined) return pricedAs === NONE ? undefined : pricedAs.toLowerCase();
  const host = new URL(baseUrl).hostname;
  if (isCloud(type)) return CLOUDS[type].pricedHosts.test(host) ? type : undefined;
  const own = Object.hasOwn(PRESETS, type) ? PRESETS[type] : undefined;
  if (!own || preset.local) return undefined;
  const itsHost = new URL(own.baseUrl).hostname;
  return host === itsHost || host.endsWith(`.${itsHost}`) ? type : undefined;
}
