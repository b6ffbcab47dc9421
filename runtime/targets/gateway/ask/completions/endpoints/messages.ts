import { Type } from 'typebox';
import type { EndpointRules } from './endpoint.ts';
import {
  content,
  requestGuardrails,
  modelName,
  openObject,
  optionalOrNull,
  streams,
  requestTools,
} from './shapes.ts';
import { maxOutputTokensIn, promptTokensIn, textOr } from './tokens.ts';
import { memberOf } from '../../../../../core/values/member-of.ts';

const schema = openObject(
  {
    model: modelName,
    max_tokens: Type.Integer({ minimum: 0, description: 'Maximum number of tokens in the answer.' }),
    messages: Type.Array(
      openObject({
        role: Type.String({ minLength: 1, description: '`user` or `assistant`.' }),
        content: Type.Union([Type.String(), Type.Array(openObject({ type: Type.String() }))]),
      }),
      { minItems: 1 },
    ),
    system: content,
    stream: streams,
    stop_sequences: optionalOrNull(Type.Array(Type.String())),
    tools: requestTools,
    metadata: optionalOrNull(
      openObject({
        user_id: optionalOrNull(Type.String(), 'The user to bill. Required with the master key.'),
      }),
    ),
    guardrails: requestGuardrails,
  },
  {
    $id: 'MessagesRequest',
    description: 'A request of Anthropic’s Messages API. Other members are sent to the provider unchanged.',
  },
);

/** @see https://docs.anthropic.com/en/api/messages */
export const messagesEndpoint: EndpointRules = {
  schema,
  // With a virtual key, `user_id` is ignored: clients use it for their own users, and the key already identifies the payer.
  user: ({ metadata }, caller) =>
    caller.kind === 'master' ? textOr(memberOf(metadata, 'user_id')) : undefined,
  promptTokens: promptTokensIn,
  maxOutputTokens: (body, assumed) => maxOutputTokensIn(body, ['max_tokens'], assumed),
  forwardedHeaders: ['anthropic-beta'],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'messages' }, options),
};
