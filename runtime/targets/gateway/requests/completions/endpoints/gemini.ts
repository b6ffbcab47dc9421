import { Type } from 'typebox';
import { memberOf } from '#core/values/member-of.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { CLIENT_WIRES } from '../../../providers/wires/index.ts';
import type { EndpointRules } from './endpoint.ts';
import { openObject, optionalOrNull, requestGuardrails, requestTools, userName } from './shapes.ts';
import { limitOf, maxOutputTokensIn, promptTokensIn, textOr } from './tokens.ts';

export const GEMINI_SCHEMA = openObject(
  {
    contents: Type.Array(openObject({ parts: optionalOrNull(Type.Array(openObject({}))) }), {
      minItems: 1,
      description:
        'The conversation: `role` is `user` or `model`, `parts` are texts, data and calls of functions.',
    }),
    systemInstruction: optionalOrNull(openObject({})),
    generationConfig: optionalOrNull(
      openObject({
        maxOutputTokens: optionalOrNull(Type.Integer({ minimum: 0 })),
        candidateCount: optionalOrNull(Type.Integer({ minimum: 1 })),
      }),
    ),
    tools: requestTools,
    user: userName,
    guardrails: requestGuardrails,
  },
  {
    $id: 'GenerateContentRequest',
    description: 'A request of Gemini’s API. Other members are sent to the provider unchanged.',
  },
);

/** @see https://ai.google.dev/api/generate-content */
export const geminiEndpoint: EndpointRules = {
  schema: GEMINI_SCHEMA,
  user: (body) => textOr(body['user']),
  endUser: () => undefined,
  promptTokens: promptTokensIn,
  maxOutputTokens(body, assumed) {
    return maxOutputTokensIn(
      {
        limit: largestOf(body, ['maxOutputTokens', 'max_output_tokens']),
        n: largestOf(body, ['candidateCount', 'candidate_count']),
      },
      ['limit'],
      assumed,
    );
  },
  syntax: CLIENT_WIRES.gemini.syntax,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'gemini' }, options),
};

/** The largest of these settings: Google reads both spellings of each name. */
function largestOf(body: Json, names: readonly string[]): number | undefined {
  const configs = [body['generationConfig'], body['generation_config']];
  return configs
    .flatMap((config) => names.map((name) => limitOf(memberOf(config, name))))
    .reduce((most, value) => (value === undefined ? most : Math.max(most ?? 0, value)), undefined);
}
