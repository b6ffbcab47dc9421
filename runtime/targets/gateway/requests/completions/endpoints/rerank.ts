import { Type } from 'typebox';
import { relayed } from './relayed.ts';
import { modelName, openObject, optionalOrNull, requestGuardrails, userName } from './shapes.ts';

/** The rerank API of Cohere and Jina, which others and our executables have too. @see https://docs.cohere.com/reference/rerank */
export const rerankEndpoint = relayed(
  'rerank',
  openObject(
    {
      model: modelName,
      query: Type.String({ minLength: 1 }),
      documents: Type.Array(Type.Union([Type.String(), openObject({})]), { minItems: 1 }),
      top_n: optionalOrNull(Type.Integer({ minimum: 1 })),
      user: userName,
      guardrails: requestGuardrails,
    },
    {
      $id: 'RerankRequest',
      description: 'Documents to sort by a query. Other members are sent to the provider unchanged.',
    },
  ),
);
