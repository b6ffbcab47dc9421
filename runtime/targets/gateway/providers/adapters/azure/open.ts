import { authorizedUpstream } from '../access/authorized-upstream.ts';
import { bearerAccess } from '../access/bearer-access.ts';
import { entraToken } from '../access/entra-token.ts';
import { createRenewed } from '../access/renewed.ts';
import type { OpenCloud } from '../cloud-parts.ts';
import { createProvider } from '../create-provider.ts';
import { withModelNames } from '../with-model-names.ts';
import { azureAdapter } from './adapter.ts';
import type { AzureSettings } from './settings.ts';

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
