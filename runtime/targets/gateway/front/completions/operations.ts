import { type TSchema, Type } from 'typebox';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import type { ErrorStatus } from '../../../../serve/http/openapi/statuses.ts';
import type { Endpoint } from '../../ask/completions/completion.ts';
import { ENDPOINTS } from '../../ask/completions/endpoints/index.ts';
import { EVENT_STREAM } from './event-stream.ts';

const ERRORS: readonly ErrorStatus[] = [400, 402, 403, 404, 408, 413, 415, 422, 429, 500, 502, 503, 504];

const HEADERS: NonNullable<Operation['answer']['headers']> = [
  { name: 'X-RateLimit-Limit', description: 'Requests a minute; where they are limited.', type: 'integer' },
  { name: 'X-RateLimit-Remaining', description: 'How many of them are left.', type: 'integer' },
  {
    name: 'X-RateLimit-Reset',
    description: 'When all are there again; seconds since 1970.',
    type: 'integer',
  },
  {
    name: 'X-Gateway-Guardrails',
    description: 'What the guardrails said: a list of `profile`, `mode`, `valid` and `score`.',
    type: 'string',
  },
  {
    name: 'X-Gateway-Unpriced',
    description: '`true` if a budget applies and the model has no price: the cost is not counted.',
    type: 'string',
  },
];

const answerOf = (members: Record<string, TSchema>, description: string): TSchema =>
  Type.Object(members, { additionalProperties: true, description });

const usage = Type.Optional(
  Type.Unsafe({ type: ['object', 'null'], additionalProperties: true, description: 'Tokens.' }),
);
const list = Type.Array(Type.Unsafe({ type: 'object', additionalProperties: true }));

const chatAnswer = answerOf(
  { id: Type.String(), object: Type.String(), model: Type.String(), choices: list, usage },
  'What the provider answered.',
);
const messagesAnswer = answerOf(
  { id: Type.String(), type: Type.String(), model: Type.String(), content: list, usage },
  'What the provider answered.',
);
const responsesAnswer = answerOf(
  { id: Type.String(), object: Type.String(), model: Type.String(), output: list, usage },
  'What the provider answered.',
);
const embeddingsAnswer = answerOf(
  { object: Type.String(), model: Type.String(), data: list, usage },
  'One vector for each input, in their order.',
);
const scored = Type.Object({
  index: Type.Integer(),
  label: Type.Unsafe({ type: ['string', 'null'], description: 'The one with the highest score.' }),
  score: Type.Unsafe({ type: ['number', 'null'] }),
  scores: Type.Unsafe({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'The probability of each label.',
  }),
});
const classifyAnswer = answerOf(
  {
    object: Type.Literal('list'),
    model: Type.String(),
    data: Type.Array(scored),
    usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
  },
  'One entry for each text, in their order.',
);

interface Told {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly asked: object;
  readonly answer: TSchema;
  readonly example: object;
  readonly streams: boolean;
}

const HELLO = [{ role: 'user', content: 'Hello' }];
const GREETING = { role: 'assistant', content: 'Hello! How can I help?' };
const PASSES =
  'Members that are not described pass through to the provider, and its answer comes back unchanged.';

const TOLD: Readonly<Record<Endpoint, Told>> = {
  '/v1/chat/completions': {
    id: 'createChatCompletion',
    summary: 'Asks a model, in the way of OpenAI’s chat completions.',
    description: PASSES,
    asked: { model: 'openai:gpt-4o-mini', messages: HELLO },
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
    summary: 'Asks a model, in the way of Anthropic’s messages.',
    description: `${PASSES} With the master key, \`metadata.user_id\` names the user.`,
    asked: { model: 'anthropic:claude-sonnet-4-5', max_tokens: 100, messages: HELLO },
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
    summary: 'Asks a model, in the way of OpenAI’s responses.',
    description: `${PASSES} Providers without this API are asked in their own; nothing is stored then.`,
    asked: { model: 'openai:gpt-4o-mini', input: 'Hello' },
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
    summary: 'One vector for each input, in the way of OpenAI’s embeddings.',
    description: PASSES,
    asked: { model: 'encoder:my-embedder', input: ['Anna lives in Berlin.'] },
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
    summary: 'The probability of each label, for each text; by encoders that classify.',
    description: 'Only models `encoder:<name>`, and aliases of them, classify.',
    asked: { model: 'encoder:sentiment', input: ['I love this.'] },
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
  schema: Type.String({ description: 'Server-sent events, as the API has them that the route is like.' }),
  examples: { events: 'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\ndata: [DONE]\n\n' },
};

export const COMPLETION_OPERATIONS: readonly Operation[] = (Object.entries(TOLD) as [Endpoint, Told][]).map(
  ([path, { id, summary, description, asked, answer, example, streams }]) => ({
    method: 'post',
    path,
    id,
    tag: 'Models',
    summary,
    description,
    request: { schema: ENDPOINTS[path].schema, examples: { request: asked } },
    answer: { description: summary, schema: answer, examples: { answer: example }, headers: HEADERS },
    ...(streams && { otherAnswers: [EVENTS] }),
    errors: ERRORS,
  }),
);
