import { Type } from 'typebox';
import type { EndpointRules } from './endpoint.ts';
import { content, mayBe, mostTokens, open, openAiMembers } from './shapes.ts';
import { mostOutputTokensIn, promptTokensIn, textOr } from './tokens.ts';

const calledTool = open({
  id: Type.String(),
  // Tools of another kind have another member.
  function: Type.Optional(open({ name: Type.String(), arguments: Type.String() })),
});

const message = open({
  role: Type.String({ minLength: 1, description: '`system`, `developer`, `user`, `assistant` or `tool`.' }),
  content,
  tool_calls: mayBe(Type.Array(calledTool)),
  tool_call_id: mayBe(Type.String()),
});

const schema = open(
  {
    ...openAiMembers,
    messages: Type.Array(message, { minItems: 1 }),
    stream_options: mayBe(open({ include_usage: mayBe(Type.Boolean()) })),
    max_tokens: mostTokens,
    max_completion_tokens: mostTokens,
    n: mayBe(Type.Integer({ minimum: 1 }), 'How many answers.'),
    stop: mayBe(Type.Union([Type.String(), Type.Array(Type.String(), { title: 'a list of texts' })])),
  },
  {
    $id: 'ChatCompletionRequest',
    description: 'A request of OpenAI’s chat completions; members that are not named here pass through.',
  },
);

/** @see https://platform.openai.com/docs/api-reference/chat */
export const chatEndpoint: EndpointRules = {
  schema,
  user: (body) => textOr(body['user']),
  promptTokens: promptTokensIn,
  mostOutputTokens: (body, assumed) =>
    mostOutputTokensIn(body, ['max_completion_tokens', 'max_tokens'], assumed),
  passedOn: [],
  ask: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'chat' }, options),
};
