import type { Static } from 'typebox';
import type { ConfiguredProvider } from '../../config/stored-models.ts';
import type { AliasEntry, ProviderEntry } from '../../registry/registry.ts';
import { timeOrNull } from '../http/time-view.ts';
import type { entryFields, provider } from './schemas.ts';

export const providerView = (entry: ProviderEntry): Static<typeof provider> => ({
  name: entry.name,
  ...instanceView(entry.value),
  secrets: entry.stored ? [...entry.stored.secretNames] : secretsOf(entry.value),
  settings: entry.stored ? { ...entry.stored.settings } : null,
  used_by: [...entry.usedBy],
  ...entryView(entry),
});

/** The members that providers and aliases have in common. */
export const entryView = ({
  source,
  status,
  problem,
  stored,
}: ProviderEntry | AliasEntry): {
  [Name in keyof typeof entryFields]: Static<(typeof entryFields)[Name]>;
} => ({
  source,
  status,
  problem,
  created_at: timeOrNull(stored?.createdAt ?? null),
  updated_at: timeOrNull(stored?.updatedAt ?? null),
});

function instanceView(
  value: ConfiguredProvider | undefined,
): Pick<Static<typeof provider>, 'type' | 'api_base' | 'local' | 'models'> {
  if (!value || 'path' in value)
    return { type: value?.type ?? null, api_base: null, local: null, models: null };
  const { type, baseUrl, local, models } = value;
  return { type, api_base: baseUrl, local, models: models ? [...models] : null };
}

/** Names of the secrets of a provider of the file. */
const secretsOf = (value: ConfiguredProvider | undefined): string[] =>
  !value || 'path' in value
    ? []
    : [
        ...(value.apiKey === undefined ? [] : ['api_key']),
        ...Object.keys(value.headers ?? {}).map((name) => `headers.${name}`),
      ];
