import { Type } from 'typebox';
import type { EndpointRules } from './endpoint.ts';
import { requestGuardrails, modelName, openObject, optionalOrNull, userName } from './shapes.ts';
import { idsIn, textOr } from './tokens.ts';

const texts = Type.Array(Type.String(), { minItems: 1, title: 'a list of texts' });
const ids = Type.Array(Type.Integer(), { minItems: 1, title: 'a list of token ids' });

const schema = openObject(
  {
    model: modelName,
    input: Type.Union([
      Type.String({ title: 'a text' }),
      texts,
      ids,
      Type.Array(ids, { minItems: 1, title: 'lists of token ids' }),
    ]),
    encoding_format: optionalOrNull(Type.String(), '`float` or `base64`.'),
    dimensions: optionalOrNull(Type.Integer({ minimum: 1 })),
    user: userName,
    guardrails: requestGuardrails,
  },
  {
    $id: 'EmbeddingsRequest',
    description: 'A request of OpenAI’s Embeddings API. Other members are sent to the provider unchanged.',
  },
);

/** @see https://platform.openai.com/docs/api-reference/embeddings */
export const embeddingsEndpoint: EndpointRules = {
  schema,
  user: (body) => textOr(body['user']),
  endUser: () => undefined,
  promptTokens: (body, count) => count(body) + idsIn(body['input']),
  maxOutputTokens: () => 0,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.embed(resolved, call, options),
};
