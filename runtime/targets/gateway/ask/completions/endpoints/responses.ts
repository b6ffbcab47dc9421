import { Type } from 'typebox';
import type { Json } from '../../shapes/chat.ts';
import type { EndpointRules } from './endpoint.ts';
import { optionalOrNull, maxTokens, openObject, openAiMembers } from './shapes.ts';
import { maxOutputTokensIn, promptTokensIn, textOr } from './tokens.ts';

const schema = openObject(
  {
    ...openAiMembers,
    input: optionalOrNull(
      Type.Union([Type.String(), Type.Array(openObject({}), { title: 'a list of items' })]),
    ),
    instructions: optionalOrNull(Type.String()),
    max_output_tokens: maxTokens,
    text: optionalOrNull(openObject({})),
    reasoning: optionalOrNull(openObject({})),
  },
  {
    $id: 'ResponsesRequest',
    description: 'A request of OpenAI’s Responses API. Other members are sent to the provider unchanged.',
  },
);

/** The provider makes a message of an input that is a text. */
const withMessage = (body: Json): Json =>
  typeof body['input'] === 'string' ? { ...body, input: [{ role: 'user', content: body['input'] }] } : body;

/** @see https://platform.openai.com/docs/api-reference/responses */
export const responsesEndpoint: EndpointRules = {
  schema,
  user: (body) => textOr(body['user']),
  promptTokens: (body, count) => promptTokensIn(withMessage(body), count),
  maxOutputTokens: (body, assumed) => maxOutputTokensIn(body, ['max_output_tokens'], assumed),
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'responses' }, options),
};
