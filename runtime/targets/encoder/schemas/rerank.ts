import { Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { documented } from '#serve/http/documented.ts';
import { optional } from '#serve/http/schemas.ts';
import { overflowMembers, pairInstruction, rankingMembers, textMember } from './texts.ts';

export const document = Type.Union([
  textMember,
  Type.Object({ text: textMember }, { title: 'an object with a text' }),
]);

const weight = Type.Optional(Type.Number({ exclusiveMinimum: 0 }));
const weights = optional(
  Type.Object(
    { dense: weight, sparse: weight, multi_vector: weight },
    {
      additionalProperties: false,
      minProperties: 1,
      title: 'an object with numbers',
      description:
        'Weight of each output in the score, which is a weighted mean. Outputs without a weight are ignored. Default: dense vectors only.',
    },
  ),
);

/** Unknown keys are ignored, because reranking clients send settings that a model server does not use. */
export const rerankRequest = (
  maxDocuments: number,
  manifest: Pick<Manifest, 'tokenOutputs' | 'pairPrompt' | 'staticForm'>,
) => {
  const list = { minItems: 1, description: `At most ${maxDocuments} per request.` };
  return Type.Object(
    {
      query: textMember,
      documents: Type.Optional(
        documented(Type.Array(document, { ...list, title: 'a list of texts' }), { maxItems: maxDocuments }),
      ),
      texts: Type.Optional(
        documented(
          Type.Array(textMember, { ...list, title: 'a list of texts', description: 'Alias of `documents`.' }),
          { maxItems: maxDocuments },
        ),
      ),
      top_n: optional(Type.Integer({ minimum: 1, description: 'Maximum number of results, best first.' })),
      return_documents: optional(
        Type.Boolean({ default: false, description: 'Whether results include the document text.' }),
      ),
      return_text: optional(
        Type.Boolean({
          default: false,
          description: 'Same as `return_documents`, for requests with `texts`.',
        }),
      ),
      raw_scores: optional(
        Type.Boolean({
          default: false,
          description:
            'Return raw model scores instead of scores between 0 and 1. Has no effect on multi_vector models, whose scores are always sums of similarities.',
        }),
      ),
      instruction: pairInstruction(manifest),
      ...rankingMembers(manifest),
      // Other models ignore these fields, like all unknown keys.
      ...(manifest.tokenOutputs ? { weights } : ({} as { weights: typeof weights })),
      ...overflowMembers,
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
          index: Type.Integer({ description: 'Index of the document in the request.' }),
          relevance_score: Type.Number(),
          document: Type.Optional(Type.Object({ text: Type.String() })),
        },
        { $id: 'RerankResult' },
      ),
      { description: 'Results, most relevant first.' },
    ),
    model_id: Type.String(),
    meta: Type.Object({ tokens: Type.Object({ input_tokens: Type.Integer() }) }),
  },
  { $id: 'RerankResponse' },
);
