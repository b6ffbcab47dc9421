import type { EntraClient } from '../access/entra-token.ts';

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
