import { type Context, Hono } from 'hono';
import type { Static } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { admit } from '#serve/lifecycle.ts';
import type { BodyReader } from '#serve/http/body.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import type { EncoderContext } from '../../context.ts';
import type { ServingEngine } from '../../engine/serving.ts';
import { type CohereRerankRequest, cohereRerankRequest, cohereRerankResponse } from '../../schemas/cohere.ts';
import type { ScoreDocuments } from '../../served/served-type.ts';
import { noReranker, rankDocuments, scorerOf } from '../rank-documents.ts';
import { ANSWER_HEADERS } from '../run-model.ts';

const VERSIONS = ['1', '2'] as const;

/** `POST /v1/rerank` and `/v2/rerank`, for clients of the Cohere and Jina APIs. */
export function cohereRerankRoutes(
  { engine, kernel }: EncoderContext,
  readBody: BodyReader,
): RouteGroup<ShellEnv> {
  const routes = new Hono<ShellEnv>();
  const score = scorerOf(engine.manifest);
  if (!score) {
    for (const version of VERSIONS) {
      const path = `/v${version}/rerank`;
      routes.post(path, () => {
        throw new AppError('NotFoundError', noReranker(path, engine.manifest));
      });
    }
    return { routes, operations: [] };
  }
  const schema = cohereRerankRequest(engine.limits.maxClientBatch);
  for (const version of VERSIONS) {
    routes.post(`/v${version}/rerank`, admit(kernel.lifecycle), async (c) => {
      const body = await readBody(c, schema);
      const id = c.get('requestId');
      return c.json({ id, ...(await rerank(c, engine, score, body, version)) });
    });
  }
  return {
    routes,
    operations: VERSIONS.map((version) => ({
      ...OPERATION,
      path: `/v${version}/rerank`,
      id: `rerankV${version}`,
      request: { schema, examples: EXAMPLES },
      // All errors under /v1 have OpenAI's format.
      openAiErrors: version === '1',
    })),
  };
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
  const documents = await shortenDocuments(engine, texts, body.max_tokens_per_doc);
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
      // Clients require this member; one unit is one search.
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

/** Truncates documents to a number of tokens, not counting special tokens, for clients that set it. */
async function shortenDocuments(
  { manifest, tokenize }: Pick<ServingEngine, 'manifest' | 'tokenize'>,
  documents: readonly string[],
  maxTokens: number | null | undefined,
): Promise<readonly string[]> {
  // The model does not read more tokens anyway.
  if (!maxTokens || maxTokens >= manifest.tokenizer.maxLength) return documents;
  const tokenized = await tokenize(documents, false);
  return documents.map((document, index) => {
    const { ids, details } = tokenized[index] ?? {};
    if (!ids || !details || ids.length <= maxTokens) return document;
    const end = details.offsets[maxTokens * 2 - 1] ?? 0;
    return Array.from(document).slice(0, end).join('');
  });
}

function truncationWarning(count: number, documents: number, { manifest }: ServingEngine): string {
  const were = count === 1 ? 'was' : 'were';
  return `${count} of ${documents} documents ${were} truncated: query and document have at most ${manifest.tokenizer.maxLength} tokens.`;
}

const EXAMPLES = {
  documents: {
    model: 'any',
    query: 'Where does Anna live?',
    documents: ['Ben likes tea.', 'Anna lives in Berlin.'],
    top_n: 1,
    return_documents: true,
  },
};

const OPERATION: Omit<Operation, 'path' | 'id' | 'request'> = {
  method: 'post',
  tag: 'Cohere and Jina',
  summary: 'Rank documents by relevance to a query.',
  answer: {
    description: 'The documents, most relevant first.',
    schema: cohereRerankResponse,
    examples: {
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
    },
    headers: ANSWER_HEADERS,
  },
  errors: WORK_ERRORS,
};
