import { Type } from 'typebox';
import { CLIENT_WIRES } from '../../../providers/wires/index.ts';
import type { EndpointRules } from './endpoint.ts';
import { content, optionalOrNull, maxTokens, openObject, openAiMembers } from './shapes.ts';
import { maxOutputTokensIn, promptTokensIn, textOr } from './tokens.ts';

const calledTool = openObject({
  id: Type.String(),
  // Tool calls of other types have a different member.
  function: Type.Optional(openObject({ name: Type.String(), arguments: Type.String() })),
});

const message = openObject({
  role: Type.String({ minLength: 1, description: '`system`, `developer`, `user`, `assistant` or `tool`.' }),
  content,
  tool_calls: optionalOrNull(Type.Array(calledTool)),
  tool_call_id: optionalOrNull(Type.String()),
});

const schema = openObject(
  {
    ...openAiMembers,
    messages: Type.Array(message, { minItems: 1 }),
    stream_options: optionalOrNull(openObject({ include_usage: optionalOrNull(Type.Boolean()) })),
    max_tokens: maxTokens,
    max_completion_tokens: maxTokens,
    n: optionalOrNull(Type.Integer({ minimum: 1 }), 'Number of answers.'),
    stop: optionalOrNull(
      Type.Union([Type.String(), Type.Array(Type.String(), { title: 'a list of texts' })]),
    ),
  },
  {
    $id: 'ChatCompletionRequest',
    description:
      'A request of OpenAI’s Chat Completions API. Other members are sent to the provider unchanged.',
  },
);

/** @see https://platform.openai.com/docs/api-reference/chat */
export const chatEndpoint: EndpointRules = {
  schema,
  user: (body) => textOr(body['user']),
  endUser: (body) => textOr(body['safety_identifier']),
  promptTokens: promptTokensIn,
  maxOutputTokens: (body, assumed) =>
    maxOutputTokensIn(body, ['max_completion_tokens', 'max_tokens'], assumed),
  syntax: CLIENT_WIRES.chat.syntax,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'chat' }, options),
};
