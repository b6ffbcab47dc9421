import { Type } from 'typebox';
import { memberOf } from '../../../../../core/values/member-of.ts';
import { CLIENT_WIRES } from '../../wires/index.ts';
import type { EndpointRules } from './endpoint.ts';
import { openObject, optionalOrNull, requestGuardrails, requestTools, userName } from './shapes.ts';
import { maxOutputTokensIn, promptTokensIn, textOr } from './tokens.ts';

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
    const config = body['generationConfig'] ?? body['generation_config'];
    const limit = memberOf(config, 'maxOutputTokens') ?? memberOf(config, 'max_output_tokens');
    const n = memberOf(config, 'candidateCount') ?? memberOf(config, 'candidate_count');
    return maxOutputTokensIn({ limit, n }, ['limit'], assumed);
  },
  syntax: CLIENT_WIRES.gemini.syntax,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'gemini' }, options),
};
