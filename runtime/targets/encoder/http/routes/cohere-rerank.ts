import type { Context } from 'hono';
import type { Static } from 'typebox';
import type { Route } from '#serve/http/route.ts';
import type { EncoderContext } from '../../context.ts';
import type { ServingEngine } from '../../engine/serving.ts';
import { type CohereRerankRequest, cohereRerankRequest, cohereRerankResponse } from '../../schemas/cohere.ts';
import type { ScoreDocuments } from '../../served/served-type.ts';
import { type ModelRoutes, unsupportedRoute } from '../model-route.ts';
import { noReranker, rankDocuments, scorerOf } from '../rank-documents.ts';
import { ANSWER_HEADERS } from '../run-model.ts';
import { shortenTexts } from '../shorten-texts.ts';

const VERSIONS = ['1', '2'] as const;

/** `POST /v1/rerank` and `/v2/rerank`, for clients of the Cohere and Jina APIs. */
export function cohereRerankRoutes(
  { engine }: EncoderContext,
  { route, guard }: ModelRoutes,
): readonly Route[] {
  const score = scorerOf(engine.manifest);
  const schema = cohereRerankRequest(engine.limits.maxClientBatch, engine.manifest);
  return VERSIONS.map((version) => {
    const path = `/v${version}/rerank`;
    if (!score) return unsupportedRoute(path, noReranker(path, engine.manifest));
    return route({
      method: 'post',
      path,
      guard,
      id: `rerankV${version}`,
      tag: 'Cohere and Jina',
      summary: 'Rank documents by relevance to a query.',
      request: { schema, examples: REQUESTS },
      answer: {
        description: 'The documents, most relevant first.',
        schema: cohereRerankResponse,
        examples: ANSWERS,
        headers: ANSWER_HEADERS,
      },
      // All errors under /v1 have OpenAI's format.
      openAiErrors: version === '1',
      run: async (c, body) => ({
        id: c.get('requestId'),
        ...(await rerank(c, engine, score, body, version)),
      }),
    });
  });
}

async function rerank(
  c: Context,
  engine: ServingEngine,
  score: ScoreDocuments,
  body: CohereRerankRequest,
  version: string,
): Promise<Omit<Static<typeof cohereRerankResponse>, 'id'>> {
  const { query, top_n: topN, return_documents: withDocuments } = body;
  const texts = body.documents.map((item) => (typeof item === 'string' ? item : item.text));
  const documents = await shortenTexts(engine, texts, {
    maxTokens: body.max_tokens_per_doc,
    side: 'right',
    place: 'documents',
  });
  const ranking = { query, documents, raw: false };
  const { ranked, tokens, truncated } = await rankDocuments(c, engine, score, ranking, body);
  const count = truncated.length;
  return {
    model: engine.manifest.name,
    results: ranked.slice(0, topN ?? undefined).map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(withDocuments ? { document: { text: texts[index] ?? '' } } : {}),
    })),
    meta: {
      api_version: { version },
      // Clients require this field. One unit is one search.
      billed_units: { search_units: 1 },
      tokens: { input_tokens: tokens },
      ...(count > 0 ? { warnings: [truncationWarning(count, texts.length, engine)] } : {}),
    },
    usage: {
      prompt_tokens: tokens,
      total_tokens: tokens,
      ...(count > 0 ? { truncated_inputs: count } : {}),
    },
  };
}

function truncationWarning(count: number, documents: number, { manifest }: ServingEngine): string {
  const were = count === 1 ? 'was' : 'were';
  return `${count} of ${documents} documents ${were} truncated: a query and a document can have at most ${manifest.tokenizer.maxLength} tokens together.`;
}

const REQUESTS = {
  documents: {
    model: 'any',
    query: 'Where does Anna live?',
    documents: ['Ben likes tea.', 'Anna lives in Berlin.'],
    top_n: 1,
    return_documents: true,
  },
};

const ANSWERS = {
  documents: {
    id: 'd7f0b1f5c6e94a7c9f3a',
    model: 'my-model',
    results: [{ index: 1, relevance_score: 0.98, document: { text: 'Anna lives in Berlin.' } }],
    meta: {
      api_version: { version: '2' },
      billed_units: { search_units: 1 },
      tokens: { input_tokens: 24 },
    },
    usage: { prompt_tokens: 24, total_tokens: 24 },
  },
};
