import type { CloudSettings } from '../../../providers/adapters/cloud-settings.ts';
import type { ProviderEntry } from '../../schemas/providers.ts';
import { resolveAzure } from './azure.ts';
import { resolveBedrock } from './bedrock.ts';
import type { ResolveCloud } from './cloud.ts';
import { resolveVertex } from './vertex.ts';

type Kind = CloudSettings['kind'];

export const CLOUDS: Readonly<Record<Kind, ResolveCloud>> = {
  azure: resolveAzure,
  bedrock: resolveBedrock,
  vertex: resolveVertex,
};

export const isCloud = (type: string): type is Kind => Object.hasOwn(CLOUDS, type);

/** Keys of an entry that only one cloud has. */
const OWN_KEYS: Readonly<Partial<Record<keyof ProviderEntry, Kind>>> = {
  api_version: 'azure',
  deployments: 'azure',
  entra: 'azure',
  aws: 'bedrock',
  google: 'vertex',
};

/** The keys of an entry that its type does not have, each with the type that has it. */
export const foreignKeys = (entry: ProviderEntry, type: string): (readonly [string, Kind])[] =>
  Object.entries(OWN_KEYS).filter(
    ([key, kind]) => kind !== type && entry[key as keyof ProviderEntry] !== undefined,
  );

/** Addresses to which the published prices of a cloud apply. */
export const CLOUD_HOSTS: Readonly<Record<Kind, RegExp>> = {
  azure: /\.(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.(?:com|us|cn)$/,
  bedrock: /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/,
  vertex: /(?:^|-|\.)aiplatform(?:\.[a-z]+\.rep)?\.googleapis\.com$/,
};
