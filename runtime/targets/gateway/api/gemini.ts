import type { Context } from 'hono';
import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { readEvent, createFrameSplitter } from '#serve/event-stream/event-frames.ts';
import { admit } from '#serve/lifecycle.ts';
import { readJsonBytes } from '#serve/http/body.ts';
import { disconnectSignal, type PieceSource } from '#serve/http/exchange.ts';
import { answerRequest } from '#serve/http/fetch-exchange.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { type Guard, type Route, undocumentedRoute } from '#serve/http/route.ts';
import { closed } from '#serve/http/schemas.ts';
import type { HeaderReader } from '../accounts/identity/identity.ts';
import type { ModelCallContext } from '../context.ts';
import { createInputCounts } from '../requests/completions/count-input.ts';
import { modelSchema, openObject } from '../requests/completions/endpoints/endpoint.ts';
import { GEMINI_SCHEMA } from '../requests/completions/endpoints/gemini.ts';
import { type GatewayAppOptions, modelBodyOptions } from './app-options.ts';
import {
  createCompletionAnswer,
  KEEP_ALIVE,
  type StreamForm,
  describeEndpoint,
} from './completions/routes.ts';
import { MODEL_PARAMETER } from './completions/docs.ts';
import { GEMINI_PATH, geminiCallOf, METHODS } from './gemini-errors.ts';
import { callerOf, createSignIn, KEY_ERRORS, modelCallOf } from './guards.ts';
import type { HttpParts } from './http/parts.ts';
import { createModelList } from './models.ts';
import { answerCount } from './token-counts.ts';
import { geminiModelView } from './views/models.ts';

/** The prompt whose tokens are counted. */
const COUNT_SCHEMA = openObject({
  model: modelSchema,
  contents: Type.Array(openObject({}), { minItems: 1 }),
});

/**
 * The prompt in a Gemini token count request. It is either in `contents` or part of a complete generation
 * request.
 */
function promptOf(bytes: Uint8Array, model: string): Uint8Array {
  let body: Record<string, unknown>;
  try {
    body = { ...membersOf(parseJsonText(Buffer.from(bytes).toString('utf8'))) };
  } catch (cause) {
    throw new AppError('MalformedError', 'The body is not valid JSON.', { cause });
  }
  const whole = membersOf(body['generateContentRequest'] ?? body['generate_content_request']);
  const prompt = Object.keys(whole).length > 0 ? whole : body;
  return Buffer.from(JSON.stringify({ ...prompt, model }));
}

/**
 * The headers of a request. As in Google's documentation, the key can also be specified in the query
 * (`?key=`); it is then added to the headers.
 */
function withQueryKey(headers: HeaderReader, url: string): HeaderReader {
  const key = new URL(url).searchParams.get('key');
  if (!key) return headers;
  return {
    get: (name) => (name.toLowerCase() === 'x-goog-api-key' ? headers.get(name) || key : headers.get(name)),
  };
}

/**
 * A stream in the form of a single JSON list, whose items are the data of the events. Gemini uses this
 * format for clients that do not request events.
 */
const AS_ARRAY: StreamForm = {
  contentType: 'application/json; charset=utf-8',
  // Sent instead of a comment, because white space between the items of a JSON list is ignored.
  keepAlive: { ...KEEP_ALIVE, text: '\n' },
  write: asArray,
};

function asArray(events: PieceSource): PieceSource {
  const splitter = createFrameSplitter();
  let isFirst = true;
  let hasEnded = false;
  const itemsOf = (frames: readonly Buffer[]): string =>
    frames
      .map((frame) => readEvent(frame).data)
      .filter((data) => data !== undefined)
      .map((data) => {
        const separator = isFirst ? '[' : ',\n';
        isFirst = false;
        return separator + data;
      })
      .join('');
  return {
    async next() {
      if (hasEnded) return { done: true, value: undefined };
      const { done, value } = await events.next();
      hasEnded = done === true;
      const rest = done ? splitter.end() : undefined;
      const items = itemsOf(value ? splitter.push(Buffer.from(value)) : rest ? [rest] : []);
      const end = isFirst ? '[]' : ']';
      return { done: false, value: Buffer.from(items + (hasEnded ? end : '') || '\n') };
    },
    cancel: () => events.cancel(),
    unread: events.unread,
  };
}

const model = closed(
  'GeminiModel',
  {
    name: Type.String({ description: '`models/` followed by the model name.' }),
    displayName: Type.String(),
    supportedGenerationMethods: Type.Array(Type.String()),
  },
  'A model in Gemini’s API format.',
);
const FLASH = {
  name: 'models/gemini:gemini-2.5-flash',
  displayName: 'gemini:gemini-2.5-flash',
  supportedGenerationMethods: ['generateContent', 'countTokens'],
};
/** Gemini's own API, for Gemini clients. @see https://ai.google.dev/api */
export function geminiRoutes(
  context: ModelCallContext,
  options: GatewayAppOptions,
  { route }: HttpParts,
): readonly Route[] {
  const signIn = createSignIn(context);
  const answer = createCompletionAnswer(context, options);
  const count = createInputCounts(context);
  const modelsOf = createModelList(context);
  const bodies = modelBodyOptions(options);
  const admitted = admit(context.kernel.lifecycle);

  const anyKey: Guard = {
    async enter(c, next) {
      c.set('caller', await signIn.caller(withQueryKey(c.req.raw.headers, c.req.url)));
      await admitted(c, next);
    },
    errors: KEY_ERRORS,
  };
  const models: Guard = {
    async enter(c, next) {
      c.set('caller', await signIn.modelCaller(withQueryKey(c.req.raw.headers, c.req.url)));
      await next();
    },
    errors: KEY_ERRORS,
  };

  const call = (c: Context<ShellEnv>): Promise<Response> => {
    const { model, method } = requiredCall(c);
    const payer = modelCallOf(c.get('caller'));
    const requestId = c.get('requestId');
    if (method === 'countTokens') {
      return answerRequest(c, async (exchange) => {
        const bytes = promptOf(await readJsonBytes(exchange, bodies), model);
        const signal = disconnectSignal(exchange);
        const counted = await count({
          wire: 'gemini',
          schema: COUNT_SCHEMA,
          caller: payer.caller,
          endpoint: `${GEMINI_PATH}/models/{model}:countTokens`,
          requestId,
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
    const request = { endpoint, ...payer, requestId, inPath: { model, stream } };
    return answerRequest(c, (exchange) => answer(exchange, request, form));
  };

  return [
    ...CALLS.map((method) =>
      route({
        ...describeEndpoint(`${GEMINI_PATH}/models/{model}:${method}`),
        path: `${GEMINI_PATH}/models/:call{.+:${method}}`,
        guard: models,
        run: call,
      }),
    ),
    route({
      method: 'post',
      path: `${GEMINI_PATH}/models/:call{.+:countTokens}`,
      isRepeatable: true,
      guard: models,
      id: 'countGeminiTokens',
      tag: 'Gemini',
      summary: 'Count the tokens in a prompt, in Gemini’s API format.',
      parameters: [MODEL_PARAMETER],
      request: {
        schema: openObject({
          contents: Type.Optional(Type.Array(openObject({}))),
          generateContentRequest: Type.Optional(GEMINI_SCHEMA),
        }),
        examples: { request: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] } },
        isRaw: true,
      },
      answer: answerOf('The number of tokens.', Type.Object({ totalTokens: Type.Integer() }), {
        totalTokens: 3,
      }),
      errors: BODY_ERRORS,
      run: call,
    }),
    // The supported methods, which the error for any other method lists.
    undocumentedRoute({ method: 'post', path: `${GEMINI_PATH}/models/:call{.+}`, guard: models, run: call }),
    // Newer clients use this version of the API.
    undocumentedRoute({
      method: 'post',
      path: `/v1/models/:call{.+:(?:${METHODS.join('|')})}`,
      guard: models,
      run: call,
    }),
    route({
      method: 'get',
      path: `${GEMINI_PATH}/models`,
      guard: anyKey,
      id: 'listGeminiModels',
      tag: 'Gemini',
      summary: 'List the models that the caller can use, in Gemini’s API format.',
      answer: answerOf('The models.', closed('GeminiModels', { models: Type.Array(model) }), {
        models: [FLASH],
      }),
      run: async (c) => ({ models: (await modelsOf(callerOf(c))).map(geminiModelView) }),
    }),
    route({
      method: 'get',
      path: `${GEMINI_PATH}/models/:id{.+}`,
      guard: anyKey,
      id: 'getGeminiModel',
      tag: 'Gemini',
      summary: 'Get a model that the caller can use, in Gemini’s API format.',
      parameters: [MODEL_PARAMETER],
      answer: answerOf('The model.', model, FLASH),
      async run(c) {
        const id = c.req.param('id');
        const found = (await modelsOf(callerOf(c))).find((entry) => entry.id === id);
        if (!found)
          throw new AppError('NotFoundError', `Model '${id}' not found`, { reason: 'model_not_found' });
        return geminiModelView(found);
      },
    }),
  ];
}

/** Methods that call a model. */
const CALLS = ['generateContent', 'streamGenerateContent', 'embedContent', 'batchEmbedContents'] as const;

function requiredCall(c: Context<ShellEnv, string>): NonNullable<ReturnType<typeof geminiCallOf>> {
  const call = geminiCallOf(c.req.param('call') ?? '');
  if (call) return call;
  throw new AppError('NotFoundError', `Unknown model method. Use {model}:${METHODS.join(', {model}:')}.`);
}
