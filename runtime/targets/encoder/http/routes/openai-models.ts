import { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { EncoderContext } from '../../context.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import { openAiModel, openAiModels } from '../../schemas/openai.ts';

/** `GET /v1/models` and `/v1/models/{id}`: the only model, for clients of OpenAI's API. */
export function openAiModelRoutes({ engine }: EncoderContext): RouteGroup {
  const { name, version } = engine.manifest;
  const model = {
    id: name,
    object: 'model',
    created: Math.floor(Date.now() / 1000),
    owned_by: 'encoderfile',
    version,
  };
  const routes = new Hono();
  routes.get('/v1/models', (c) => c.json({ object: 'list', data: [model] }));
  // Model names can contain slashes.
  routes.get('/v1/models/:id{.+}', (c) => {
    const id = c.req.param('id');
    if (id === name) return c.json(model);
    const asked = JSON.stringify(id.slice(0, 200));
    throw new AppError(
      'NotFoundError',
      `Model not found: ${asked}. This server has ${JSON.stringify(name)}.`,
    );
  });

  const common = { method: 'get', tag: 'OpenAI', openAiErrors: true } as const;
  const list: Operation = {
    ...common,
    path: '/v1/models',
    id: 'listModels',
    summary: 'List the models of this server. There is always exactly one.',
    answer: {
      description: 'The list of models.',
      schema: openAiModels,
      examples: { models: { object: 'list', data: [model] } },
    },
    errors: [],
  };
  const one: Operation = {
    ...common,
    path: '/v1/models/{id}',
    id: 'getModel',
    summary: 'Get a model by name.',
    parameters: [{ name: 'id', description: 'Model name.', example: name }],
    answer: { description: 'The model.', schema: openAiModel, examples: { model } },
    errors: [404],
  };
  return { routes, operations: [list, one] };
}
