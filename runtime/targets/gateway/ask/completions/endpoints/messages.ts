import { Type } from 'typebox';
import type { Json } from '../../shapes/chat.ts';
import type { EndpointRules } from './endpoint.ts';
import { content, guardrailsAsked, modelName, open, mayBe, streams, toolsAsked } from './shapes.ts';
import { mostOutputTokensIn, promptTokensIn, textOr } from './tokens.ts';

const schema = open(
  {
    model: modelName,
    max_tokens: Type.Integer({ minimum: 0, description: 'The most tokens that the answer may have.' }),
    messages: Type.Array(
      open({
        role: Type.String({ minLength: 1, description: '`user` or `assistant`.' }),
        content: Type.Union([Type.String(), Type.Array(open({ type: Type.String() }))]),
      }),
      { minItems: 1 },
    ),
    system: content,
    stream: streams,
    stop_sequences: mayBe(Type.Array(Type.String())),
    tools: toolsAsked,
    metadata: mayBe(
      open({
        user_id: mayBe(Type.String(), 'Who asks; whoever has the master key has to name it.'),
      }),
    ),
    guardrails: guardrailsAsked,
  },
  {
    $id: 'MessagesRequest',
    description: 'A request of Anthropic’s messages; members that are not named here pass through.',
  },
);

/** @see https://docs.anthropic.com/en/api/messages */
export const messagesEndpoint: EndpointRules = {
  schema,
  // Clients write what they like there, for Anthropic to tell their users apart; who has a key is known already.
  user: ({ metadata }, caller) =>
    caller.kind === 'master' ? textOr((metadata as Json | null | undefined)?.['user_id']) : undefined,
  promptTokens: promptTokensIn,
  mostOutputTokens: (body, assumed) => mostOutputTokensIn(body, ['max_tokens'], assumed),
  passedOn: ['anthropic-beta'],
  ask: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'messages' }, options),
};
