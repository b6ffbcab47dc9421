import { AppError } from '#contract/errors.ts';
import { bodilessRoute, type Route } from '#serve/http/route.ts';
import type { EncoderContext } from '../../context.ts';
import { openAiModel, openAiModels } from '../../schemas/openai.ts';
import { NO_GUARD } from '../model-route.ts';

/** `GET /v1/models` and `/v1/models/{id}`: list this executable's only model, for clients of OpenAI's API. */
export function openAiModelRoutes({ engine }: EncoderContext): readonly Route[] {
  const { name, version } = engine.manifest;
  const model = {
    id: name,
    object: 'model',
    created: Math.floor(Date.now() / 1000),
    owned_by: 'encoderfile',
    version,
  } as const;
  const models = { object: 'list', data: [model] } as const;
  const shared = { method: 'get', guard: NO_GUARD, tag: 'OpenAI', openAiErrors: true } as const;
  return [
    bodilessRoute({
      ...shared,
      path: '/v1/models',
      id: 'listModels',
      summary: 'List this server’s models. The list always contains exactly one.',
      answer: { description: 'The list of models.', schema: openAiModels, examples: { models } },
      run: () => models,
    }),
    bodilessRoute({
      ...shared,
      // Model names can contain slashes.
      path: '/v1/models/:id{.+}',
      id: 'getModel',
      summary: 'Get a model by name.',
      parameters: [{ name: 'id', description: 'Name of the model.', example: name }],
      answer: { description: 'The model.', schema: openAiModel, examples: { model } },
      errors: [404],
      run(c) {
        const id = c.req.param('id');
        if (id === name) return model;
        const asked = JSON.stringify(id.slice(0, 200));
        throw new AppError(
          'NotFoundError',
          `Model not found: ${asked}. This server only serves ${JSON.stringify(name)}.`,
        );
      },
    }),
  ];
}
