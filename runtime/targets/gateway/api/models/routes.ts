import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { GatewayContext } from '../../context.ts';
import { geminiModelView } from '../gemini/view.ts';
import { createModelList } from './model-list.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { model, models } from './schemas.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { modelView } from '../views/models.ts';
import { KEY_ERRORS } from '../http/operations.ts';

/** `/v1/models`: the models that a caller can use. */
export function modelRoutes(context: GatewayContext, { guards }: HttpParts): GatewayRoutes {
  const modelsOf = createModelList(context);
  const routes = newRoutes();

  routes.get('/v1/models', guards.anyKey, async (c) => {
    const entries = await modelsOf(callerOf(c));
    return isForGemini(c)
      ? c.json({ models: entries.map(geminiModelView) })
      : c.json({ object: 'list', data: entries.map((entry) => modelView(entry)) });
  });
  routes.get('/v1/models/:id{.+}', guards.anyKey, async (c) => {
    const id = c.req.param('id');
    const found = (await modelsOf(callerOf(c))).find((entry) => entry.id === id);
    if (!found) throw new AppError('NotFoundError', `Model '${id}' not found`, { reason: 'model_not_found' });
    return c.json(isForGemini(c) ? geminiModelView(found) : modelView(found));
  });

  return { routes, operations: [LIST, GET] };
}

/** Newer clients of Gemini's API list models on the path of OpenAI's. */
const isForGemini = (c: Context): boolean => Boolean(c.req.header('x-goog-api-key'));

const GPT = { id: 'openai:gpt-5-mini', object: 'model', created: 1_754_000_000, owned_by: 'openai' };

const LIST: Operation = {
  method: 'get',
  path: '/v1/models',
  id: 'listModels',
  tag: 'Models',
  summary: 'List the models that the caller can use.',
  description:
    'Aliases, models of providers, encoders, and models with a price. Lists of providers are cached for a minute.',
  answer: answerOf('The models.', models, { object: 'list', data: [GPT] }),
  errors: KEY_ERRORS,
};

const GET: Operation = {
  method: 'get',
  path: '/v1/models/{id}',
  id: 'getModel',
  tag: 'Models',
  summary: 'Get a model that the caller can use.',
  parameters: [
    { name: 'id', description: 'Model name as in requests, with all colons and slashes.', example: GPT.id },
  ],
  answer: answerOf('The model.', model, GPT),
  errors: KEY_ERRORS,
};
