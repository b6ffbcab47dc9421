import { textOrUndefined } from '#core/values/text-or-undefined.ts';
import { Type } from 'typebox';
import { CLIENT_WIRES } from '../../../providers/wires/index.ts';
import {
  content,
  requestGuardrails,
  modelSchema,
  openObject,
  optionalOrNull,
  streams,
  requestTools,
  type EndpointRules,
} from './endpoint.ts';
import { maxOutputTokensIn } from '../estimate.ts';
import { memberOf } from '#core/values/member-of.ts';

const prompt = {
  model: modelSchema,
  messages: Type.Array(
    openObject({
      role: Type.String({ minLength: 1, description: '`user` or `assistant`.' }),
      content: Type.Union([Type.String(), Type.Array(openObject({ type: Type.String() }))]),
    }),
    { minItems: 1 },
  ),
  system: content,
  tools: requestTools,
  guardrails: requestGuardrails,
};

export const COUNT_MESSAGES_SCHEMA = openObject(prompt, {
  $id: 'CountTokensRequest',
  description: 'A token count request in Anthropic’s API. Other members are sent to the provider unchanged.',
});

const schema = openObject(
  {
    ...prompt,
    max_tokens: Type.Integer({ minimum: 0, description: 'Maximum number of output tokens.' }),
    stream: streams,
    stop_sequences: optionalOrNull(Type.Array(Type.String())),
    metadata: optionalOrNull(
      openObject({
        user_id: optionalOrNull(Type.String(), 'The user to bill. Required with the master key.'),
      }),
    ),
  },
  {
    $id: 'MessagesRequest',
    description:
      'A request in Anthropic’s Messages API format. Other members are sent to the provider unchanged.',
  },
);

/** @see https://docs.anthropic.com/en/api/messages */
export const messagesEndpoint: EndpointRules = {
  schema,
  // With a virtual key, `user_id` is ignored: clients use it for their own users, and the key already identifies the payer.
  user: ({ metadata }, caller) =>
    caller.kind === 'master' ? textOrUndefined(memberOf(metadata, 'user_id')) : undefined,
  endUser: ({ metadata }) => textOrUndefined(memberOf(metadata, 'user_id')),
  maxOutputTokens: (body, assumed) => maxOutputTokensIn(body, ['max_tokens'], assumed),
  syntax: CLIENT_WIRES.messages.syntax,
  forwardedHeaders: ['anthropic-beta'],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'messages' }, options),
};
