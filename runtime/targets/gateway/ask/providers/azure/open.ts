import { authorizedUpstream } from '../access/authorized-upstream.ts';
import { bearerAccess } from '../access/bearer-access.ts';
import { type EntraClient, entraToken } from '../access/entra-token.ts';
import { createRenewed } from '../access/renewed.ts';
import type { OpenCloud } from '../cloud.ts';
import { createProvider } from '../create-provider.ts';
import { withModelNames } from '../with-model-names.ts';
import { azureAdapter } from './adapter.ts';

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

export const openAzure: OpenCloud<AzureSettings> = (
  { apiVersion, deployments, entra },
  { instance, limits, clock, connect },
) => {
  const adapter = azureAdapter(apiVersion, instance.dialect);
  const direct = connect(adapter.headers(instance.apiKey));
  const upstream = entra
    ? authorizedUpstream(direct, bearerAccess(createRenewed(() => entraToken(entra, clock), clock)))
    : direct;
  const provider = createProvider({ instance, adapter, upstream, limits, clock });
  return withModelNames(provider, (model) =>
    Object.hasOwn(deployments, model) ? (deployments[model] ?? model) : model,
  );
};
