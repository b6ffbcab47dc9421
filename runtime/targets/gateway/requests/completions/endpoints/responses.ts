import { Type } from 'typebox';
import type { Json } from '../../../providers/shapes/chat.ts';
import { CLIENT_WIRES } from '../../../providers/wires/index.ts';
import type { EndpointRules } from './endpoint.ts';
import { optionalOrNull, maxTokens, modelName, openObject, openAiMembers, requestTools } from './shapes.ts';
import { maxOutputTokensIn, textOr } from './tokens.ts';

const prompt = {
  input: optionalOrNull(
    Type.Union([Type.String(), Type.Array(openObject({}), { title: 'a list of items' })]),
  ),
  instructions: optionalOrNull(Type.String()),
  text: optionalOrNull(openObject({})),
  reasoning: optionalOrNull(openObject({})),
};

export const COUNT_RESPONSES_SCHEMA = openObject(
  { model: modelName, tools: requestTools, ...prompt },
  {
    $id: 'CountInputTokensRequest',
    description:
      'A request of OpenAI’s API for a number of tokens. Other members are sent to the provider unchanged.',
  },
);

const schema = openObject(
  { ...openAiMembers, ...prompt, max_output_tokens: maxTokens },
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
  endUser: (body) => textOr(body['safety_identifier']),
  promptTokens: (body, count) => count(withMessage(body)),
  maxOutputTokens: (body, assumed) => maxOutputTokensIn(body, ['max_output_tokens'], assumed),
  syntax: CLIENT_WIRES.responses.syntax,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'responses' }, options),
};
