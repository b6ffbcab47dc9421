import { type Static, Type } from 'typebox';
import { documented } from '#serve/http/documented.ts';
import { optional } from '#serve/http/schemas.ts';
import type { Manifest } from '#contract/manifest.ts';
import { overflowMembers, pairInstruction, rankingMembers, textMember } from './texts.ts';
import { document } from './rerank.ts';

/**
 * Unknown keys are ignored, as in `/rerank`, because clients send settings that a model server does
 * not use.
 */
export const cohereRerankRequest = (
  maxDocuments: number,
  manifest: Pick<Manifest, 'pairPrompt' | 'staticForm'>,
) =>
  Type.Object(
    {
      model: optional(
        Type.String({
          description: 'Ignored, because the server has only one model. The response contains its name.',
        }),
      ),
      query: textMember,
      documents: documented(
        Type.Array(document, {
          minItems: 1,
          title: 'a list of texts',
          description: `At most ${maxDocuments} per request.`,
        }),
        { maxItems: maxDocuments },
      ),
      top_n: optional(Type.Integer({ minimum: 1, description: 'Maximum number of results, best first.' })),
      return_documents: optional(
        Type.Boolean({ default: false, description: 'Whether results include the document text.' }),
      ),
      max_tokens_per_doc: optional(
        Type.Integer({ minimum: 1, description: 'Truncate documents to this many tokens.' }),
      ),
      max_chunks_per_doc: optional(
        Type.Integer({
          description:
            'Ignored, because documents are never split. Documents that are too long are truncated.',
        }),
      ),
      instruction: pairInstruction(manifest),
      ...rankingMembers(manifest),
      ...overflowMembers,
    },
    { $id: 'CohereRerankRequest' },
  );
export type CohereRerankRequest = Static<ReturnType<typeof cohereRerankRequest>>;

export const cohereRerankResponse = Type.Object(
  {
    id: Type.String({ description: 'Request id.' }),
    model: Type.String(),
    results: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: 'Index of the document in the request.' }),
          relevance_score: Type.Number(),
          document: Type.Optional(Type.Object({ text: Type.String() })),
        },
        { $id: 'CohereRerankResult' },
      ),
      { description: 'Results, most relevant first.' },
    ),
    meta: Type.Object({
      api_version: Type.Object({ version: Type.String() }),
      billed_units: Type.Object({ search_units: Type.Integer() }),
      tokens: Type.Object({ input_tokens: Type.Integer() }),
      warnings: Type.Optional(Type.Array(Type.String())),
    }),
    usage: Type.Object({
      prompt_tokens: Type.Integer(),
      total_tokens: Type.Integer(),
      truncated_inputs: Type.Optional(
        Type.Integer({ description: 'Number of truncated documents. Absent if none were truncated.' }),
      ),
    }),
  },
  { $id: 'CohereRerankResponse' },
);

export const cohereError = Type.Object({ message: Type.String() }, { $id: 'CohereError' });
