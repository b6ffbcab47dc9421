import { type TSchema, Type } from 'typebox';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';
import { entriesOf } from '#core/values/keys.ts';
import { COUNTERS, type CounterPath } from './counters.ts';

const ERRORS: readonly ErrorStatus[] = [400, 403, 404, 408, 413, 415, 422, 429, 500, 503];

interface CounterDocs {
  readonly id: string;
  readonly summary: string;
  readonly request: object;
  readonly answer: TSchema;
}

const tokens = Type.Integer({ minimum: 0, description: 'Number of input tokens.' });

const DOCS: Readonly<Record<CounterPath, CounterDocs>> = {
  '/v1/messages/count_tokens': {
    id: 'countMessageTokens',
    summary: 'Count the tokens of a prompt, in the format of Anthropic’s messages.',
    request: { model: 'anthropic:claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hello' }] },
    answer: Type.Object({ input_tokens: tokens }),
  },
  '/v1/responses/input_tokens': {
    id: 'countResponseTokens',
    summary: 'Count the tokens of a prompt, in the format of OpenAI’s responses.',
    request: { model: 'openai:gpt-4o-mini', input: 'Hello' },
    answer: Type.Object({ object: Type.Literal('response.input_tokens'), input_tokens: tokens }),
  },
};

const HEADER = {
  name: 'X-Gateway-Estimated',
  description: '`true` if the provider of the model has not counted, so that the number is an estimate.',
  type: 'string',
} as const;

export const TOKEN_COUNT_OPERATIONS: readonly Operation[] = entriesOf(DOCS).map(
  ([path, { id, summary, request, answer }]) => ({
    method: 'post',
    path,
    id,
    tag: 'Models',
    summary,
    description:
      'The provider counts if its API can; otherwise the number is estimated. It costs nothing. Such calls have limits of their own, twice the requests per minute and as many parallel calls.',
    request: { schema: COUNTERS[path].schema, examples: { request } },
    answer: {
      description: summary,
      schema: answer,
      examples: { answer: COUNTERS[path].answer(8) },
      headers: [HEADER],
    },
    errors: ERRORS,
  }),
);
