import { Type } from 'typebox';
import type { EndpointRules } from './endpoint.ts';
import { mayBe, mostTokens, open, openAiMembers } from './shapes.ts';
import { mostOutputTokensIn, promptTokensIn, textOr } from './tokens.ts';

const schema = open(
  {
    ...openAiMembers,
    input: mayBe(Type.Union([Type.String(), Type.Array(open({}), { title: 'a list of items' })])),
    instructions: mayBe(Type.String()),
    max_output_tokens: mostTokens,
    text: mayBe(open({})),
    reasoning: mayBe(open({})),
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
