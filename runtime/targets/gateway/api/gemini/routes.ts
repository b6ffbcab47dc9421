import type { Context, Handler, MiddlewareHandler } from 'hono';
import { AppError } from '#contract/errors.ts';
import { admit } from '#serve/http/admit.ts';
import { readJsonBytes } from '#serve/http/body.ts';
import { disconnectSignal } from '#serve/http/exchange/exchange.ts';
import { answerRequest } from '#serve/http/exchange/fetch-exchange.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { createInputCounts } from '../../requests/completions/count-input.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { createCompletionAnswer } from '../completions/answer.ts';
import { type GatewayRoutes, newRoutes } from '../http/parts.ts';
import { createModelList } from '../models/model-list.ts';
import { callerOf, createSignIn } from '../sign-in/sign-in.ts';
import { answerCount } from '../token-counts/answer-count.ts';
import { AS_ARRAY } from './array-stream.ts';
import { COUNT_SCHEMA, promptOf } from './count-request.ts';
import { withQueryKey } from './key-headers.ts';
import { GEMINI_OPERATIONS } from './operations.ts';
import { GEMINI_PATH, geminiCallOf, METHODS } from './paths.ts';
import { geminiModelView } from './view.ts';

/** Gemini's own API, for its clients. @see https://ai.google.dev/api */
export function geminiRoutes(context: GatewayContext, options: GatewayAppOptions): GatewayRoutes {
  const signIn = createSignIn(context);
  const answer = createCompletionAnswer(context, options);
  const count = createInputCounts(context);
  const modelsOf = createModelList(context);
  const bodies = modelBodyOptions(options);
  const admitted = admit(context.kernel.lifecycle);
  const routes = newRoutes();

  const anyKey: MiddlewareHandler<ShellEnv> = async (c, next) => {
    c.set('caller', await signIn.caller(withQueryKey(c.req.raw.headers, c.req.url)));
    await admitted(c, next);
  };

  const call: Handler<ShellEnv> = async (c) => {
    const modelCaller = await signIn.modelCaller(withQueryKey(c.req.raw.headers, c.req.url));
    c.set('caller', modelCaller);
    const { model, method } = requiredCall(c);
    const caller = modelCaller.payer;
    if (method === 'countTokens') {
      return await answerRequest(c, async (exchange) => {
        const bytes = promptOf(await readJsonBytes(exchange, bodies), model);
        const signal = disconnectSignal(exchange);
        const counted = await count({
          wire: 'gemini',
          schema: COUNT_SCHEMA,
          caller,
          endpoint: `${GEMINI_PATH}/models/{model}:countTokens`,
          requestId: c.get('requestId'),
          setHeader: (name, value) => exchange.setHeader(name, value),
          bytes,
          hold: exchange.hold(),
          headers: {},
          signal,
        });
        answerCount(exchange, counted, (totalTokens) => ({ totalTokens }));
      });
    }
    const stream = method === 'streamGenerateContent';
    const form = c.req.query('alt') === 'sse' ? undefined : AS_ARRAY;
    const endpoint = `${GEMINI_PATH}/models/{model}:${method}` as const;
    const request = { endpoint, caller, requestId: c.get('requestId'), inPath: { model, stream } };
    return await answerRequest(c, (exchange) => answer(exchange, request, form));
  };
  routes.post(`${GEMINI_PATH}/models/:call{.+}`, call);
  // Newer clients use this version.
  routes.post(`/v1/models/:call{.+:(?:${METHODS.join('|')})}`, call);
  routes.get(`${GEMINI_PATH}/models`, anyKey, async (c) =>
    c.json({ models: (await modelsOf(callerOf(c))).map(geminiModelView) }),
  );
  routes.get(`${GEMINI_PATH}/models/:id{.+}`, anyKey, async (c) => {
    const id = c.req.param('id');
    const found = (await modelsOf(callerOf(c))).find((entry) => entry.id === id);
    if (!found) throw new AppError('NotFoundError', `Model '${id}' not found`, { reason: 'model_not_found' });
    return c.json(geminiModelView(found));
  });

  return { routes, operations: GEMINI_OPERATIONS };
}

function requiredCall(c: Context<ShellEnv, string>): NonNullable<ReturnType<typeof geminiCallOf>> {
  const call = geminiCallOf(c.req.param('call') ?? '');
  if (call) return call;
  throw new AppError(
    'NotFoundError',
    `Unknown method of a model. Use {model}:${METHODS.join(', {model}:')}.`,
  );
}
