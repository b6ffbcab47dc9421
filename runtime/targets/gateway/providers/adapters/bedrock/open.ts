import { type Access, authorizedUpstream } from '../access/authorized-upstream.ts';
import { awsAccess } from '../access/aws-access.ts';
import { awsKeys } from '../access/aws-keys.ts';
import { createRenewed } from '../access/renewed.ts';
import { byModel } from '../by-model.ts';
import type { OpenCloud } from '../cloud-parts.ts';
import { createProvider } from '../create-provider.ts';
import type { Upstream } from '../provider.ts';
import { anthropicOnBedrock } from './anthropic.ts';
import { withEvents } from './as-events.ts';
import { converseAdapter } from './converse.ts';
import { embedInParts } from './embed-in-parts.ts';
import { isAnthropic } from './model-path.ts';
import { MODELS_PATH } from './models.ts';
import type { BedrockSettings } from './settings.ts';

export const openBedrock: OpenCloud<BedrockSettings> = (
  { region, controlUrl, keys: sources },
  { instance, limits, clock, connect },
) => {
  const headers = converseAdapter.headers(instance.apiKey);
  const keys = sources && createRenewed(() => awsKeys(sources, clock), clock);
  const authorized = (baseUrl: string): Upstream => {
    const direct = connect(headers, baseUrl);
    if (!keys) return direct;
    const access: Access = awsAccess({ keys, region, service: 'bedrock', baseUrl, clock });
    return authorizedUpstream(direct, access);
  };
  const upstream = withLists(withEvents(authorized(instance.baseUrl)), () => authorized(controlUrl));
  const parts = { instance, upstream, limits, clock };
  const converse = createProvider({ ...parts, adapter: converseAdapter });
  const anthropic = createProvider({ ...parts, adapter: anthropicOnBedrock });
  return byModel(converse, ({ model }) => (isAnthropic(model) ? anthropic : converse), {
    embed: embedInParts((call) => converse.embed(call)),
  });
};

/** An upstream whose lists of models are at another address, which is connected to when it is needed. */
function withLists(upstream: Upstream, connect: () => Upstream): Upstream {
  let control: Upstream | undefined;
  return {
    request: (request) =>
      request.path === MODELS_PATH ? (control ??= connect()).request(request) : upstream.request(request),
    async close() {
      await Promise.all([upstream.close(), control?.close()]);
    },
  };
}
