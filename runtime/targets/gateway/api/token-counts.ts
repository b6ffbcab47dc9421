import { type TSchema, Type } from 'typebox';
import { keysOf } from '#core/values/keys.ts';
import { readJsonBytes } from '#serve/http/body.ts';
import { type HttpExchange, JSON_TYPE, disconnectSignal } from '#serve/http/exchange.ts';
import { answerRequest } from '#serve/http/fetch-exchange.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { Route } from '#serve/http/route.ts';
import type { ModelCallContext } from '../context.ts';
import type { Wire } from '../providers/shapes/chat.ts';
import { type InputCount, createInputCounts } from '../requests/completions/count-input.ts';
import { COUNT_MESSAGES_SCHEMA } from '../requests/completions/endpoints/messages.ts';
import { COUNT_RESPONSES_SCHEMA } from '../requests/completions/endpoints/openai.ts';
import { forwardedHeaders } from '../requests/completions/read-request.ts';
import { type GatewayAppOptions, modelBodyOptions } from './app-options.ts';
import { callerOf } from './guards.ts';
import type { HttpParts } from './http/parts.ts';

/** A route that counts a prompt's tokens in the format of one API. */
interface Counter {
  readonly id: string;
  readonly summary: string;
  readonly request: object;
  readonly wire: Wire;
  readonly schema: TSchema;
  readonly forwardedHeaders: readonly string[];
  readonly answerSchema: TSchema;
  readonly answer: (tokens: number) => object;
}

type CounterPath = '/v1/messages/count_tokens' | '/v1/responses/input_tokens';

const tokens = Type.Integer({ minimum: 0, description: 'Number of input tokens.' });

const COUNTERS: Readonly<Record<CounterPath, Counter>> = {
  // https://docs.anthropic.com/en/api/messages-count-tokens
  '/v1/messages/count_tokens': {
    id: 'countMessageTokens',
    summary: 'Count the tokens in a prompt, in Anthropic’s Messages format.',
    request: { model: 'anthropic:claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hello' }] },
    wire: 'messages',
    schema: COUNT_MESSAGES_SCHEMA,
    forwardedHeaders: ['anthropic-beta'],
    answerSchema: Type.Object({ input_tokens: tokens }),
    answer: (count) => ({ input_tokens: count }),
  },
  // https://platform.openai.com/docs/api-reference/responses/input-tokens
  '/v1/responses/input_tokens': {
    id: 'countResponseTokens',
    summary: 'Count the tokens in a prompt, in OpenAI’s Responses format.',
    request: { model: 'openai:gpt-4o-mini', input: 'Hello' },
    wire: 'responses',
    schema: COUNT_RESPONSES_SCHEMA,
    forwardedHeaders: [],
    answerSchema: Type.Object({ object: Type.Literal('response.input_tokens'), input_tokens: tokens }),
    answer: (count) => ({ object: 'response.input_tokens', input_tokens: count }),
  },
};

/** The header that is set if the count is an estimate. */
const ESTIMATED_HEADER = 'X-Gateway-Estimated';

/** Handles a token count request. `bodyOf` builds the body in the format of the client's API. */
export function answerCount(
  exchange: HttpExchange,
  { tokens, isEstimated }: InputCount,
  bodyOf: (tokens: number) => object,
): void {
  if (isEstimated) exchange.setHeader(ESTIMATED_HEADER, 'true');
  exchange.answer({ status: 200, headers: JSON_TYPE, body: JSON.stringify(bodyOf(tokens)) });
}

const HEADER = {
  name: 'X-Gateway-Estimated',
  description: '`true` if the number is an estimate, because the model’s provider did not count the tokens.',
  type: 'string',
} as const;

/** Routes that count a prompt's tokens. They are free and have their own rate limits. */
export function tokenCountRoutes(
  context: ModelCallContext,
  options: GatewayAppOptions,
  { guards, route }: HttpParts,
): readonly Route[] {
  const count = createInputCounts(context);
  const bodies = modelBodyOptions(options);

  return keysOf(COUNTERS).map((path) => {
    const { id, summary, wire, schema, forwardedHeaders: names, ...counter } = COUNTERS[path];
    return route({
      method: 'post',
      path,
      isRepeatable: true,
      guard: guards.anyKey,
      id,
      tag: 'Models',
      summary,
      description:
        'The provider counts the tokens if its API supports it; otherwise, the number is estimated. Counting is free. Separate limits apply: twice the requests per minute and the same number of concurrent calls.',
      request: { schema, examples: { request: counter.request }, isRaw: true },
      answer: {
        description: summary,
        schema: counter.answerSchema,
        examples: { answer: counter.answer(8) },
        headers: [HEADER],
      },
      errors: [...BODY_ERRORS, 429],
      run: (c) =>
        answerRequest(c, async (exchange) => {
          const bytes = await readJsonBytes(exchange, bodies);
          const headers = forwardedHeaders(exchange.headers, names) ?? {};
          const signal = disconnectSignal(exchange);
          const counted = await count({
            wire,
            schema,
            caller: callerOf(c),
            endpoint: path,
            requestId: c.get('requestId'),
            setHeader: (name, value) => exchange.setHeader(name, value),
            bytes,
            hold: exchange.hold(),
            headers,
            signal,
          });
          answerCount(exchange, counted, counter.answer);
        }),
    });
  });
}
