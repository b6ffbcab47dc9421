import { Type } from 'typebox';
import { optional } from '../../../../serve/http/schemas.ts';
import { text } from './texts.ts';

const document = Type.Union([text, Type.Object({ text }, { title: 'an object with a text' })]);

/** Keys that are not here are ignored: clients of rerankers send more than a model server has a use for. */
export const rerankRequest = (most: number) => {
  const list = { minItems: 1, description: `At most ${most} at once.` };
  return Type.Object(
    {
      query: text,
      documents: Type.Optional(Type.Array(document, { ...list, title: 'a list of texts' })),
      texts: Type.Optional(
        Type.Array(text, { ...list, title: 'a list of texts', description: 'Another name of `documents`.' }),
      ),
      top_n: optional(Type.Integer({ minimum: 1, description: 'Only this many results, the best ones.' })),
      return_documents: optional(
        Type.Boolean({ default: false, description: 'Whether results carry their text.' }),
      ),
      raw_scores: optional(
        Type.Boolean({
          default: false,
          description: 'Scores as the model gives them instead of between 0 and 1.',
        }),
      ),
    },
    {
      $id: 'RerankRequest',
      anyOf: [{ required: ['documents'] }, { required: ['texts'] }],
    },
  );
};

export const rerankResponse = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: 'Which of the documents it is.' }),
          relevance_score: Type.Number(),
          document: Type.Optional(Type.Object({ text: Type.String() })),
        },
        { $id: 'RerankResult' },
      ),
      { description: 'The most relevant first.' },
    ),
    model_id: Type.String(),
    meta: Type.Object({ tokens: Type.Object({ input_tokens: Type.Integer() }) }),
  },
  { $id: 'RerankResponse' },
);
