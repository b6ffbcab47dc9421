import type { AwsKeySources } from './access/aws-keys.ts';
import type { EntraClient } from './access/entra-token.ts';
import type { GoogleSource } from './access/google-token.ts';

// A cloud is: its settings and its row here, how it is opened (`open-provider.ts`, a folder), and how its entry of the configuration is
// resolved (`config/resolve/clouds/`).

/** A resource of Azure OpenAI. */
export interface AzureSettings {
  readonly kind: 'azure';
  /** Undefined for the version without dates. */
  readonly apiVersion: string | undefined;
  /** Names of deployments by the model that clients name. Other models are names of deployments. */
  readonly deployments: Readonly<Record<string, string>>;
  /** Undefined if requests have a key. */
  readonly entra: EntraClient | undefined;
}

/** Amazon Bedrock in a region. */
export interface BedrockSettings {
  readonly kind: 'bedrock';
  readonly region: string;
  /** URL of the API that lists models. */
  readonly controlUrl: string;
  /** Undefined if requests have an API key. */
  readonly keys: AwsKeySources | undefined;
}

/** Vertex AI in a project and a location of Google Cloud. */
export interface VertexSettings {
  readonly kind: 'vertex';
  readonly project: string;
  readonly location: string;
  readonly credentials: GoogleSource;
}

/** What the providers of the clouds need besides an address and a key. */
export interface SettingsOfClouds {
  readonly azure: AzureSettings;
  readonly bedrock: BedrockSettings;
  readonly vertex: VertexSettings;
}

export type CloudKind = keyof SettingsOfClouds;
export type CloudSettings = SettingsOfClouds[CloudKind];

interface Cloud {
  /** Keys of an entry of the configuration that no other type has. */
  readonly entryKeys: readonly string[];
  /** Variables that are enough to call it; undefined if it is never called without an entry. */
  readonly variables?: readonly string[];
  /** The version at the end of a URL, which its paths already have. */
  readonly version?: RegExp;
  /** Hosts to which its published prices apply. */
  readonly pricedHosts: RegExp;
  /** Whether an entry, with or without credentials of its own, uses those of the machine. */
  readonly usesMachine: (hasOwn: boolean) => boolean;
  /** What to do after it has rejected the credentials. */
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
