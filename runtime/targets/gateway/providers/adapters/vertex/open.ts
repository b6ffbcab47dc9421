import { authorizedUpstream } from '../access/authorized-upstream.ts';
import { bearerAccess } from '../access/bearer-access.ts';
import { googleToken } from '../access/google-token.ts';
import { createRenewed } from '../access/renewed.ts';
import { byModel } from '../by-model.ts';
import type { OpenCloud } from '../cloud-parts.ts';
import { createProvider } from '../create-provider.ts';
import { anthropicOnVertex } from './anthropic.ts';
import { geminiOnVertex } from './gemini.ts';
import { publisherOf } from './model-path.ts';
import type { VertexSettings } from './settings.ts';

export const openVertex: OpenCloud<VertexSettings> = (place, { instance, limits, clock, connect }) => {
  const token = createRenewed(() => googleToken(place.credentials, clock), clock);
  const upstream = authorizedUpstream(connect({}), bearerAccess(token));
  const parts = { instance, upstream, limits, clock };
  const google = createProvider({ ...parts, adapter: geminiOnVertex(place) });
  const anthropic = createProvider({ ...parts, adapter: anthropicOnVertex(place) });
  return byModel(google, ({ model }) => (publisherOf(model) === 'anthropic' ? anthropic : google));
};
