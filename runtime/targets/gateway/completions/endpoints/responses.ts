import { Type } from 'typebox';
import type { EndpointRules } from './endpoint.ts';
import {
  guardrailsAsked,
  modelName,
  mostTokens,
  open,
  mayBe,
  streams,
  toolsAsked,
  userName,
} from './shapes.ts';
import { mostOutputTokensIn, promptTokensIn, textOr } from './tokens.ts';

const schema = open(
  {
    model: modelName,
    input: mayBe(Type.Union([Type.String(), Type.Array(open({}), { title: 'a list of items' })])),
    instructions: mayBe(Type.String()),
    stream: streams,
    max_output_tokens: mostTokens,
    tools: toolsAsked,
    text: mayBe(open({})),
    reasoning: mayBe(open({})),
    user: userName,
    guardrails: guardrailsAsked,
  },
  {
    $id: 'ResponsesRequest',
    description: 'A request of OpenAI’s responses; members that are not named here pass through.',
  },
);

/** @see https://platform.openai.com/docs/api-reference/responses */
export const responsesEndpoint: EndpointRules = {
  schema,
  user: (body) => textOr(body['user']),
  promptTokens: promptTokensIn,
  mostOutputTokens: (body, assumed) => mostOutputTokensIn(body, ['max_output_tokens'], assumed),
  passedOn: [],
  ask: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'responses' }, options),
};
