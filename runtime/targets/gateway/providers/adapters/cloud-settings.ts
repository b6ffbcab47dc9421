import type { AwsKeySources } from './access/aws-keys.ts';
import type { EntraClient } from './access/entra-token.ts';
import type { GoogleSource } from './access/google-token.ts';

// Adding a cloud means adding: its settings and its row here, how to open it (`open-provider.ts`, a folder),
// and how to resolve its configuration entry (`config/resolve/clouds/`).

/** An Azure OpenAI resource. */
export interface AzureSettings {
  readonly kind: 'azure';
  /** The dated API version; undefined for the version without a date. */
  readonly apiVersion: string | undefined;
  /**
   * Deployment names, keyed by the model name in requests. All other model names are used as deployment
   * names.
   */
  readonly deployments: Readonly<Record<string, string>>;
  /** Undefined if requests are authenticated with a key. */
  readonly entra: EntraClient | undefined;
}

/** Amazon Bedrock in one region. */
export interface BedrockSettings {
  readonly kind: 'bedrock';
  readonly region: string;
  /** URL of the API that lists models. */
  readonly controlUrl: string;
  /** Undefined if requests are authenticated with an API key. */
  readonly keys: AwsKeySources | undefined;
}

/** Vertex AI in a Google Cloud project and location. */
export interface VertexSettings {
  readonly kind: 'vertex';
  readonly project: string;
  readonly location: string;
  readonly credentials: GoogleSource;
}

/** The settings that cloud providers need in addition to an address and a key. */
export interface SettingsOfClouds {
  readonly azure: AzureSettings;
  readonly bedrock: BedrockSettings;
  readonly vertex: VertexSettings;
}

export type CloudKind = keyof SettingsOfClouds;
export type CloudSettings = SettingsOfClouds[CloudKind];

interface Cloud {
  /** Keys in a configuration entry that no other provider type has. */
  readonly entryKeys: readonly string[];
  /**
   * Environment variables that are sufficient to use the cloud; undefined if it always requires a
   * configuration entry.
   */
  readonly variables?: readonly string[];
  /**
   * Matches a version at the end of a URL. It is removed, because the request paths already contain it.
   */
  readonly version?: RegExp;
  /** Hosts to which the cloud's published prices apply. */
  readonly pricedHosts: RegExp;
  /**
   * Whether an entry uses the machine's credentials; `hasOwn` states whether it contains its own
   * credentials.
   */
  readonly usesMachine: (hasOwn: boolean) => boolean;
  /** What users can do if the cloud rejects the credentials. */
  readonly remedy: string;
}

export const CLOUDS: Readonly<Record<CloudKind, Cloud>> = {
  azure: {
    entryKeys: ['api_version', 'deployments', 'entra'],
    variables: ['AZURE_OPENAI_ENDPOINT', 'AZURE_OPENAI_API_KEY'],
    version: /\/openai(?:\/v1)?\/*$/,
    pricedHosts: /\.(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.(?:com|us|cn)$/,
    usesMachine: () => false,
    remedy: 'Correct its `api_key` or `entra`, or their variables.',
  },
  bedrock: {
    entryKeys: ['aws'],
    variables: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_REGION'],
    pricedHosts: /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/,
    usesMachine: (hasOwn) => !hasOwn,
    remedy: 'Correct its `api_key` or `aws`, or their variables.',
  },
  vertex: {
    entryKeys: ['google'],
    version: /\/v1(?:beta1)?\/*$/,
    pricedHosts: /(?:^|-|\.)aiplatform(?:\.[a-z]+\.rep)?\.googleapis\.com$/,
    usesMachine: () => true,
    remedy: 'Correct its `google.credentials`, or the role of the account.',
  },
};

export const isCloud = (type: string): type is CloudKind => Object.hasOwn(CLOUDS, type);
