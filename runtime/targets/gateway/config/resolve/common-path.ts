import { CLOUDS, isCloud } from '../../providers/adapters/cloud-settings.ts';
import { PRESETS } from '../../providers/adapters/presets.ts';
import type { ProviderType } from '../../providers/adapters/provider.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/**
 * The base URL that API paths are appended to. URLs are accepted with and without the version, because each
 * API's clients differ in this: `https://api.anthropic.com/v1` and `https://api.openai.com` are as valid as
 * the preset URLs.
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

/** Versions that these APIs' paths already contain. */
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
