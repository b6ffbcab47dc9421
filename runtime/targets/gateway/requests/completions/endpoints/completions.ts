import { Type } from 'typebox';
import { CLIENT_WIRES } from '../../../providers/wires/index.ts';
import type { EndpointRules } from './endpoint.ts';
import {
  maxTokens,
  modelName,
  openObject,
  optionalOrNull,
  requestGuardrails,
  streams,
  userName,
} from './shapes.ts';
import { idsIn, maxOutputTokensIn, textOr } from './tokens.ts';

const ids = Type.Array(Type.Integer(), { minItems: 1, title: 'a list of token ids' });

const schema = openObject(
  {
    model: modelName,
    prompt: Type.Union([
      Type.String({ title: 'a text' }),
      Type.Array(Type.String(), { minItems: 1, title: 'a list of texts' }),
      ids,
      Type.Array(ids, { minItems: 1, title: 'lists of token ids' }),
    ]),
    max_tokens: maxTokens,
    n: optionalOrNull(Type.Integer({ minimum: 1 }), 'Number of answers.'),
    best_of: optionalOrNull(
      Type.Integer({ minimum: 1 }),
      'Number of answers that the best ones are taken from.',
    ),
    stream: streams,
    stream_options: optionalOrNull(openObject({ include_usage: optionalOrNull(Type.Boolean()) })),
    user: userName,
    guardrails: requestGuardrails,
  },
  {
    $id: 'CompletionRequest',
    description: 'A request of OpenAI’s Completions API. Other members are sent to the provider unchanged.',
  },
);

/** @see https://platform.openai.com/docs/api-reference/completions */
export const completionsEndpoint: EndpointRules = {
  schema,
  user: (body) => textOr(body['user']),
  endUser: () => undefined,
  promptTokens: (body, count) => count(body) + idsIn(body['prompt']),
  maxOutputTokens(body, assumed) {
    const { prompt, n, best_of: best } = body;
    const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1;
    const answers = Math.max(countOf(n), countOf(best)) * prompts;
    return maxOutputTokensIn({ ...body, n: answers }, ['max_tokens'], assumed);
  },
  syntax: CLIENT_WIRES.completions.syntax,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.chat(resolved, { ...call, wire: 'completions' }, options),
};

const countOf = (value: unknown): number => (typeof value === 'number' ? value : 1);
