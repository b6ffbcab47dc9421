import { CLOUDS, isCloud } from '../../providers/adapters/cloud-settings.ts';
import { PRESETS } from '../../providers/adapters/presets.ts';
import type { ProviderType } from '../../providers/adapters/provider.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/**
 * The base URL that the paths of an API are appended to. People write the URL with and without the version, as the clients of each
 * API differ in this: `https://api.anthropic.com/v1` and `https://api.openai.com` are as good as the URLs of the presets.
 */
export function withCommonPath(text: string, type: ProviderType): string {
  const [address = '', query] = text.split('?', 2);
  const base = baseOf(address, type);
  return query === undefined ? base : `${base}?${query}`;
}

function baseOf(address: string, type: ProviderType): string {
  const versioned = isCloud(type) ? CLOUDS[type].version : VERSIONS[type];
  if (versioned) return address.replace(versioned, '');
  const isBare = type === 'openai' && /^https?:\/\/[^/]+$/i.test(address);
  return isBare ? `${address}${pathOfPreset(address) ?? '/v1'}` : address;
}

/** Versions that the paths of these APIs already have. */
const VERSIONS: Readonly<Partial<Record<ProviderType, RegExp>>> = {
  anthropic: /\/v1\/*$/,
  gemini: /\/v1(?:beta)?\/*$/,
};

function pathOfPreset(address: string): string | undefined {
  const preset = Object.values(PRESETS).find(
    ({ baseUrl }) => new URL(baseUrl).origin === address.toLowerCase(),
  );
  return preset && trimEndOf(new URL(preset.baseUrl).pathname, '/');
}
