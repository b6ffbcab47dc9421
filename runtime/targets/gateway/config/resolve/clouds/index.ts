import { type CloudKind, CLOUDS } from '../../../providers/adapters/cloud-settings.ts';
import { entriesOf } from '#core/values/keys.ts';
import type { ProviderEntry } from '../../schemas/providers.ts';
import { resolveAzure } from './azure.ts';
import { resolveBedrock } from './bedrock.ts';
import type { ResolveCloud } from './cloud.ts';
import { resolveVertex } from './vertex.ts';

export const RESOLVE_CLOUD: Readonly<Record<CloudKind, ResolveCloud>> = {
  azure: resolveAzure,
  bedrock: resolveBedrock,
  vertex: resolveVertex,
};

/** The keys in an entry that its type does not support, each with the type that does. */
export const foreignKeys = (entry: ProviderEntry, type: string): (readonly [string, CloudKind])[] =>
  entriesOf(CLOUDS).flatMap(([kind, { entryKeys }]) =>
    kind === type
      ? []
      : entryKeys
          .filter((key) => entry[key as keyof ProviderEntry] !== undefined)
          .map((key) => [key, kind] as const),
  );
