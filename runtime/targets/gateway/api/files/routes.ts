import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { readUploadForm } from '../http/bodies.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import {
  answerBytes,
  jsonBytes,
  namedProvider,
  objectListView,
  objectPageOf,
  storedRequest,
} from '../stored/stored-request.ts';
import { FILE_OPERATIONS } from './operations.ts';

/** `/v1/files`: files that a provider stores. @see https://platform.openai.com/docs/api-reference/files */
export function fileRoutes(
  { stored: { files } }: Pick<GatewayContext, 'stored'>,
  { guards }: HttpParts,
  options: GatewayAppOptions,
): GatewayRoutes {
  const bodies = modelBodyOptions(options);
  const routes = newRoutes();

  routes.post('/v1/files', guards.anyKey, async (c) => {
    const form = await readUploadForm(c, bodies);
    const request = storedRequest(c, form.fields.get('user')?.[0]);
    return jsonBytes(c, await files.upload({ ...request, provider: namedProvider(c) }, form));
  });
  routes.get('/v1/files', guards.anyKey, async (c) =>
    c.json(
      objectListView(await files.list(storedRequest(c), objectPageOf(c, { max: 10_000, fallback: 1000 }))),
    ),
  );
  routes.get('/v1/files/:id', guards.anyKey, async (c) =>
    jsonBytes(c, await files.get(storedRequest(c), c.req.param('id'))),
  );
  routes.get('/v1/files/:id/content', guards.programKey, async (c) =>
    answerBytes(c, (signal) => files.content({ ...storedRequest(c), signal }, c.req.param('id'))),
  );
  routes.delete('/v1/files/:id', guards.anyKey, async (c) =>
    jsonBytes(c, await files.delete(storedRequest(c), c.req.param('id'))),
  );

  return { routes, operations: FILE_OPERATIONS };
}
