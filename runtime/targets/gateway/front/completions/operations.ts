import { type TSchema, Type } from 'typebox';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import type { ErrorStatus } from '../../../../serve/http/openapi/statuses.ts';
import type { Endpoint } from '../../ask/completions/completion.ts';
import { ENDPOINTS } from '../../ask/completions/endpoints/index.ts';
import { EVENT_STREAM } from './event-stream.ts';
import { entriesOf } from '../../../../core/values/keys.ts';

const ERRORS: readonly ErrorStatus[] = [400, 402, 403, 404, 408, 413, 415, 422, 429, 500, 502, 503, 504];

const HEADERS: NonNullable<Operation['answer']['headers']> = [
  { name: 'X-RateLimit-Limit', description: 'Requests per minute, if they are limited.', type: 'integer' },
  { name: 'X-RateLimit-Remaining', description: 'Remaining requests.', type: 'integer' },
  {
    name: 'X-RateLimit-Reset',
    description: 'When the limit is reset, as a Unix timestamp.',
    type: 'integer',
  },
  {
    name: 'X-Gateway-Guardrails',
    description: 'Results of the guardrails: a list of objects with `profile`, `mode`, `valid` and `score`.',
    type: 'string',
  },
  {
    name: 'X-Gateway-Unpriced',
    description: '`true` if a budget applies and the model has no price: the cost is not counted.',
    type: 'string',
  },
  {
    name: 'X-Gateway-Dropped-Tools',
    description: 'Types of tools that the provider of the model cannot run, so that it did not get them.',
    type: 'string',
  },
];

const answerOf = (members: Record<string, TSchema>, description: string): TSchema =>
  Type.Object(members, { additionalProperties: true, description });

const usage = Type.Optional(
  Type.Unsafe({ type: ['object', 'null'], additionalProperties: true, description: 'Token counts.' }),
);
const list = Type.Array(Type.Unsafe({ type: 'object', additionalProperties: true }));

const chatAnswer = answerOf(
  { id: Type.String(), object: Type.String(), model: Type.String(), choices: list, usage },
  'The answer of the provider.',
);
const messagesAnswer = answerOf(
  { id: Type.String(), type: Type.String(), model: Type.String(), content: list, usage },
  'The answer of the provider.',
);
const responsesAnswer = answerOf(
  { id: Type.String(), object: Type.String(), model: Type.String(), output: list, usage },
  'The answer of the provider.',
);
const embeddingsAnswer = answerOf(
  { object: Type.String(), model: Type.String(), data: list, usage },
  'One vector per input, in input order.',
);
const scored = Type.Object({
  index: Type.Integer(),
  label: Type.Unsafe({ type: ['string', 'null'], description: 'Label with the highest score.' }),
  score: Type.Unsafe({ type: ['number', 'null'] }),
  scores: Type.Unsafe({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Probability of each label.',
  }),
});
const classifyAnswer = answerOf(
  {
    object: Type.Literal('list'),
    model: Type.String(),
    data: Type.Array(scored),
    usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
  },
  'One entry per text, in input order.',
);

interface EndpointDocs {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly request: object;
  readonly answer: TSchema;
  readonly example: object;
  readonly streams: boolean;
}

const HELLO = [{ role: 'user', content: 'Hello' }];
const GREETING = { role: 'assistant', content: 'Hello! How can I help?' };
const PASSED_THROUGH = 'Other members are passed to the provider, and its answer is returned unchanged.';

const ENDPOINT_DOCS: Readonly<Record<Endpoint, EndpointDocs>> = {
  '/v1/chat/completions': {
    id: 'createChatCompletion',
    summary: 'Call a model, in the format of OpenAI’s chat completions.',
    description: PASSED_THROUGH,
    request: { model: 'openai:gpt-4o-mini', messages: HELLO },
    answer: chatAnswer,
    example: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'gpt-4o-mini',
      choices: [{ index: 0, message: GREETING, finish_reason: 'stop' }],
      usage: { prompt_tokens: 8, completion_tokens: 7, total_tokens: 15 },
    },
    streams: true,
  },
  '/v1/messages': {
    id: 'createMessage',
    summary: 'Call a model, in the format of Anthropic’s messages.',
    description: `${PASSED_THROUGH} With the master key, \`metadata.user_id\` names the user.`,
    request: { model: 'anthropic:claude-sonnet-4-5', max_tokens: 100, messages: HELLO },
    answer: messagesAnswer,
    example: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'Hello! How can I help?' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 8, output_tokens: 7 },
    },
    streams: true,
  },
  '/v1/responses': {
    id: 'createResponse',
    summary: 'Call a model, in the format of OpenAI’s responses.',
    description: `${PASSED_THROUGH} For providers without this API, requests are converted to their own API, and nothing is stored.`,
    request: { model: 'openai:gpt-4o-mini', input: 'Hello' },
    answer: responsesAnswer,
    example: {
      id: 'resp_1',
      object: 'response',
      model: 'gpt-4o-mini',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello!' }] }],
      usage: { input_tokens: 8, output_tokens: 2, total_tokens: 10 },
    },
    streams: true,
  },
  '/v1/embeddings': {
    id: 'createEmbeddings',
    summary: 'Create one vector per input, in the format of OpenAI’s embeddings.',
    description: PASSED_THROUGH,
    request: { model: 'encoder:my-embedder', input: ['Anna lives in Berlin.'] },
    answer: embeddingsAnswer,
    example: {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.6, -0.8] }],
      model: 'my-embedder',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    },
    streams: false,
  },
  '/v1/classify': {
    id: 'classifyTexts',
    summary: 'Classify texts with an encoder: the probability of each label.',
    description: 'Requires a model `encoder:<name>`, or an alias of one.',
    request: { model: 'encoder:sentiment', input: ['I love this.'] },
    answer: classifyAnswer,
    example: {
      object: 'list',
      model: 'encoder:sentiment',
      data: [{ index: 0, label: 'POSITIVE', score: 0.98, scores: { POSITIVE: 0.98, NEGATIVE: 0.02 } }],
      usage: { prompt_tokens: 6, total_tokens: 6 },
    },
    streams: false,
  },
};

const EVENTS = {
  mediaType: EVENT_STREAM.split(';')[0] ?? EVENT_STREAM,
  schema: Type.String({
    description: 'Server-sent events in the format of the API that this endpoint is compatible with.',
  }),
  examples: { events: 'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\ndata: [DONE]\n\n' },
};

export const COMPLETION_OPERATIONS: readonly Operation[] = entriesOf(ENDPOINT_DOCS).map(
  ([path, { id, summary, description, request, answer, example, streams }]) => ({
    method: 'post',
    path,
    id,
    tag: 'Models',
    summary,
    description,
    request: { schema: ENDPOINTS[path].schema, examples: { request } },
    answer: { description: summary, schema: answer, examples: { answer: example }, headers: HEADERS },
    ...(streams && { otherAnswers: [EVENTS] }),
    errors: ERRORS,
  }),
);
