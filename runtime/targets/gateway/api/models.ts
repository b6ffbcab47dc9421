import type { Context } from 'hono';
import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed } from '#serve/http/schemas.ts';
import type { Caller } from '../accounts/identity/identity.ts';
import { canUseModel } from '../accounts/identity/create-identity.ts';
import type { ModelCallContext } from '../context.ts';
import type { ModelEntry } from '../providers/adapters/provider.ts';
import type { ModelSet } from '../requests/models/model-set.ts';
import { listAll } from '../store/list-all.ts';
import { callerOf } from './guards.ts';
import type { HttpParts } from './http/parts.ts';
import { geminiModelView, modelView } from './views/models.ts';

const model = closed(
  'Model',
  {
    id: Type.String({ description: 'Model name in requests: `provider:model`, or the name of an alias.' }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Creation time as a Unix timestamp; 0 if unknown.' }),
    owned_by: Type.String({ description: 'Provider of the model.' }),
  },
  'A model in the format of OpenAI’s API.',
);

export const models = closed('Models', { object: Type.Literal('list'), data: Type.Array(model) });

/**
 * How long the model lists of providers are cached. They are cached because clients can request models at
 * any rate.
 */
const MAX_LIST_AGE_MS = 60_000;

/** Lists the models that a caller can use. */
type ModelList = (caller: Caller) => Promise<readonly ModelEntry[]>;

export function createModelList({ state, models, clock }: ModelCallContext): ModelList {
  const cache = new WeakMap<
    ModelSet,
    { readonly at: number; readonly list: Promise<readonly ModelEntry[]> }
  >();

  /**
   * The model lists of providers. A request is not aborted when the client disconnects, because later
   * callers share its result.
   */
  const providerModels = (set: ModelSet): Promise<readonly ModelEntry[]> => {
    const before = cache.get(set);
    if (before && clock.now() - before.at < MAX_LIST_AGE_MS) return before.list;
    const list = set.router.models(new AbortController().signal);
    cache.set(set, { at: clock.now(), list });
    list.catch(() => cache.delete(set));
    return list;
  };

  return async (caller) => {
    const held = models.hold();
    try {
      const { set } = held;
      const listed = await providerModels(set);
      const names = new Set(listed.map(({ id }) => id));
      const priced = (await pricedModels(state)).filter(({ id }) => !names.has(id) && isServed(set, id));
      return [...listed, ...priced].filter(({ id }) => assertModelAllowed(caller, id));
    } finally {
      held.release();
    }
  };
}

/** Models with a price are also listed, because some providers have no model list or an incomplete one. */
async function pricedModels({ prices }: ModelCallContext['state']): Promise<ModelEntry[]> {
  return (await listAll(prices)).map(({ modelKey, effectiveAt }) => {
    const [ownedBy = ''] = modelKey.split(':', 1);
    return { id: modelKey, created: Math.floor(effectiveAt / 1000), ownedBy };
  });
}

function isServed({ router }: ModelSet, model: string): boolean {
  try {
    return router.resolve(model).targets.length > 0;
  } catch {
    return false;
  }
}

const assertModelAllowed = (caller: Caller, model: string): boolean =>
  caller.kind === 'master' || canUseModel(caller, model);

/** `/v1/models`: the models that a caller can use. */
export function modelRoutes(context: ModelCallContext, { guards, route }: HttpParts): readonly Route[] {
  const modelsOf = createModelList(context);

  return [
    route({
      method: 'get',
      path: '/v1/models',
      guard: guards.anyKey,
      id: 'listModels',
      tag: 'Models',
      summary: 'List the models that the caller can use.',
      description:
        'The list contains aliases, provider models, encoders, and models with a price. Provider lists are cached for a minute.',
      answer: answerOf('The models.', models, { object: 'list', data: [GPT] }),
      run: async (c) => {
        const entries = await modelsOf(callerOf(c));
        if (isForGemini(c)) return c.json({ models: entries.map(geminiModelView) });
        return { object: 'list' as const, data: entries.map((entry) => modelView(entry)) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/models/:id{.+}',
      guard: guards.anyKey,
      id: 'getModel',
      tag: 'Models',
      summary: 'Get a model that the caller can use.',
      parameters: [
        {
          name: 'id',
          description: 'Model name as in requests, including any colons and slashes.',
          example: GPT.id,
        },
      ],
      answer: answerOf('The model.', model, GPT),
      run: async (c) => {
        const id = c.req.param('id');
        const found = (await modelsOf(callerOf(c))).find((entry) => entry.id === id);
        if (!found)
          throw new AppError('NotFoundError', `Model '${id}' not found`, { reason: 'model_not_found' });
        return isForGemini(c) ? c.json(geminiModelView(found)) : modelView(found);
      },
    }),
  ];
}

/** Newer Gemini API clients list models on the path of OpenAI's API. */
const isForGemini = (c: Context): boolean => Boolean(c.req.header('x-goog-api-key'));

const GPT = { id: 'openai:gpt-5-mini', object: 'model', created: 1_754_000_000, owned_by: 'openai' };
