import { textOrUndefined } from '#core/values/text-or-undefined.ts';
import { Type, type TSchema } from 'typebox';
import { CLIENT_WIRES } from '../../../providers/wires/index.ts';
import {
  content,
  optionalOrNull,
  maxTokens,
  openObject,
  openAiMembers,
  modelSchema,
  requestGuardrails,
  streams,
  userName,
  requestTools,
  type EndpointRules,
} from './endpoint.ts';
import { withImageParts } from '../../guardrails/image-inputs.ts';
import { maxOutputTokensIn, idsIn } from '../estimate.ts';
import { inputForms } from './input-items.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import type { RelayRoute } from '../../../providers/adapters/other-calls.ts';

const calledTool = openObject({
  id: Type.String(),
  // Optional, because tool calls of other types have a different member instead.
  function: Type.Optional(openObject({ name: Type.String(), arguments: Type.String() })),
});

const message = openObject({
  role: Type.String({ minLength: 1, description: '`system`, `developer`, `user`, `assistant` or `tool`.' }),
  content,
  tool_calls: optionalOrNull(Type.Array(calledTool)),
  tool_call_id: optionalOrNull(Type.String()),
});

const CHAT_SCHEMA = openObject(
  {
    ...openAiMembers,
    messages: Type.Array(message, { minItems: 1 }),
    stream_options: optionalOrNull(openObject({ include_usage: optionalOrNull(Type.Boolean()) })),
    max_tokens: maxTokens,
    max_completion_tokens: maxTokens,
    n: optionalOrNull(Type.Integer({ minimum: 1 }), 'Number of completions.'),
    stop: optionalOrNull(
      Type.Union([Type.String(), Type.Array(Type.String(), { title: 'a list of texts' })]),
    ),
  },
  {
    $id: 'ChatCompletionRequest',
    description:
      'A request in OpenAI’s Chat Completions API format. Other members are sent to the provider unchanged.',
  },
);

/** @see https://platform.openai.com/docs/api-reference/chat */
export const chatEndpoint: EndpointRules = {
  schema: CHAT_SCHEMA,
  user: (body) => textOrUndefined(body['user']),
  endUser: (body) => textOrUndefined(body['safety_identifier']),
  maxOutputTokens: (body, assumed) =>
    maxOutputTokensIn(body, ['max_completion_tokens', 'max_tokens'], assumed),
  syntax: CLIENT_WIRES.chat.syntax,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'chat' }, options),
};

const ids = Type.Array(Type.Integer(), { minItems: 1, title: 'a list of token IDs' });

const COMPLETIONS_SCHEMA = openObject(
  {
    model: modelSchema,
    prompt: Type.Union([
      Type.String({ title: 'a text' }),
      Type.Array(Type.String(), { minItems: 1, title: 'a list of texts' }),
      ids,
      Type.Array(ids, { minItems: 1, title: 'lists of token IDs' }),
    ]),
    max_tokens: maxTokens,
    n: optionalOrNull(Type.Integer({ minimum: 1 }), 'Number of completions.'),
    best_of: optionalOrNull(
      Type.Integer({ minimum: 1 }),
      'Number of completions generated, from which the best are selected.',
    ),
    stream: streams,
    stream_options: optionalOrNull(openObject({ include_usage: optionalOrNull(Type.Boolean()) })),
    user: userName,
    guardrails: requestGuardrails,
  },
  {
    $id: 'CompletionRequest',
    description:
      'A request in OpenAI’s Completions API format. Other members are sent to the provider unchanged.',
  },
);

/** @see https://platform.openai.com/docs/api-reference/completions */
export const completionsEndpoint: EndpointRules = {
  schema: COMPLETIONS_SCHEMA,
  user: (body) => textOrUndefined(body['user']),
  endUser: () => undefined,
  promptTokens: (body, count) => count(body) + idsIn(body['prompt']),
  maxOutputTokens(body, assumed) {
    const { prompt, n, best_of: best } = body;
    const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1;
    const answers = Math.max(countOf(n), countOf(best)) * prompts;
    return maxOutputTokensIn({ ...body, n: answers }, ['max_tokens'], assumed);
  },
  syntax: CLIENT_WIRES.completions.syntax,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'completions' }, options),
};

const countOf = (value: unknown): number => (typeof value === 'number' ? value : 1);

const prompt = {
  input: optionalOrNull(
    Type.Union([Type.String(), Type.Array(openObject({}), { title: 'a list of items' })]),
  ),
  instructions: optionalOrNull(Type.String()),
  text: optionalOrNull(openObject({})),
  reasoning: optionalOrNull(openObject({})),
};

export const COUNT_RESPONSES_SCHEMA = openObject(
  { model: modelSchema, tools: requestTools, ...prompt },
  {
    $id: 'CountInputTokensRequest',
    description: 'A token count request in OpenAI’s API. Other members are sent to the provider unchanged.',
  },
);

const RESPONSES_SCHEMA = openObject(
  { ...openAiMembers, ...prompt, max_output_tokens: maxTokens },
  {
    $id: 'ResponsesRequest',
    description:
      'A request in OpenAI’s Responses API format. Other members are sent to the provider unchanged.',
  },
);

/** Converts a string input to a message, as the provider does. */
const withMessage = (body: Json): Json =>
  typeof body['input'] === 'string' ? { ...body, input: [{ role: 'user', content: body['input'] }] } : body;

/** @see https://platform.openai.com/docs/api-reference/responses */
export const responsesEndpoint: EndpointRules = {
  schema: RESPONSES_SCHEMA,
  user: (body) => textOrUndefined(body['user']),
  endUser: (body) => textOrUndefined(body['safety_identifier']),
  promptTokens: (body, count) => count(withMessage(body)),
  maxOutputTokens: (body, assumed) => maxOutputTokensIn(body, ['max_output_tokens'], assumed),
  syntax: CLIENT_WIRES.responses.syntax,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'responses' }, options),
};

const EMBEDDINGS_SCHEMA = openObject(
  {
    model: modelSchema,
    input: Type.Union([
      ...inputForms({ minLength: 0 }),
      ids,
      Type.Array(ids, { minItems: 1, title: 'lists of token IDs' }),
    ]),
    encoding_format: optionalOrNull(Type.String(), '`float` or `base64`.'),
    dimensions: optionalOrNull(Type.Integer({ minimum: 1 })),
    user: userName,
    guardrails: requestGuardrails,
  },
  {
    $id: 'EmbeddingsRequest',
    description:
      'A request in OpenAI’s Embeddings API format. Other members are sent to the provider unchanged.',
  },
);

/** @see https://platform.openai.com/docs/api-reference/embeddings */
export const embeddingsEndpoint: EndpointRules = {
  schema: EMBEDDINGS_SCHEMA,
  user: (body) => textOrUndefined(body['user']),
  endUser: () => undefined,
  promptTokens: (body, count) => count(withImageParts(body)) + idsIn(body['input']),
  maxOutputTokens: () => 0,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.embed(resolved, call, options),
};

/**
 * The rules for a route whose requests and responses pass through unchanged and that has no output tokens by
 * default.
 */
export const relayed = (
  route: RelayRoute,
  schema: TSchema,
  maxOutputTokens: EndpointRules['maxOutputTokens'] = () => 0,
): EndpointRules => ({
  schema,
  user: (body) => textOrUndefined(body['user']),
  endUser: () => undefined,
  maxOutputTokens,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.relay(resolved, { ...call, route }, options),
});

/** Output tokens for the largest image of OpenAI's models, 1024 x 1536 in high quality. */
const IMAGE_TOKENS = 6240;

/** @see https://platform.openai.com/docs/api-reference/images */
export const imagesEndpoint = relayed(
  'image_generations',
  openObject(
    {
      model: modelSchema,
      prompt: Type.String({ minLength: 1 }),
      n: optionalOrNull(Type.Integer({ minimum: 1 }), 'Number of images.'),
      // Streams are rejected, because the gateway cannot read the usage in image events.
      stream: optionalOrNull(Type.Literal(false)),
      user: userName,
      guardrails: requestGuardrails,
    },
    {
      $id: 'ImagesRequest',
      description:
        'A request in OpenAI’s Images API format. Other members are sent to the provider unchanged.',
    },
  ),
  (body) => maxOutputTokensIn(body, [], IMAGE_TOKENS),
);

/** @see https://platform.openai.com/docs/api-reference/moderations */
export const moderationsEndpoint = relayed(
  'moderations',
  openObject(
    {
      model: modelSchema,
      input: Type.Union([
        Type.String({ title: 'a text' }),
        Type.Array(Type.String(), { minItems: 1, title: 'a list of texts' }),
        Type.Array(openObject({ type: Type.String() }), { minItems: 1, title: 'a list of parts' }),
      ]),
      user: userName,
      guardrails: requestGuardrails,
    },
    {
      $id: 'ModerationsRequest',
      description:
        'A request in OpenAI’s Moderations API format. Other members are sent to the provider unchanged.',
    },
  ),
);

/**
 * The rerank API of Cohere and Jina, which other providers and encoder executables also support. @see
 * https://docs.cohere.com/reference/rerank
 */
export const rerankEndpoint = relayed(
  'rerank',
  openObject(
    {
      model: modelSchema,
      query: Type.String({ minLength: 1 }),
      documents: Type.Array(Type.Union([Type.String(), openObject({})]), { minItems: 1 }),
      top_n: optionalOrNull(Type.Integer({ minimum: 1 })),
      user: userName,
      guardrails: requestGuardrails,
    },
    {
      $id: 'RerankRequest',
      description:
        'Documents to rank by relevance to a query. Other members are sent to the provider unchanged.',
    },
  ),
);
