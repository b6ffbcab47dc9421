import { Hono } from 'hono';
import { type Static, Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { admit } from '#serve/lifecycle.ts';
import type { BodyReader } from '#serve/http/body.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import type { EncoderContext } from '../../context.ts';
import { rerankRequest, rerankResponse } from '../../schemas/rerank.ts';
import { teiRanksResponse } from '../../schemas/tei.ts';
import { noReranker, rankDocuments, scorerOf } from '../rank-documents.ts';
import { ANSWER_HEADERS } from '../run-model.ts';

/** `POST /rerank`: ranks documents by relevance to a query, with a cross-encoder. */
export function rerankRoutes({ engine, kernel }: EncoderContext, readBody: BodyReader): RouteGroup {
  const { manifest, limits } = engine;
  const routes = new Hono();
  const score = scorerOf(manifest);
  if (!score) {
    routes.post('/rerank', () => {
      throw new AppError('NotFoundError', noReranker('/rerank', manifest));
    });
    return { routes, operations: [] };
  }
  const request = rerankRequest(limits.maxClientBatch, manifest);

  routes.post('/rerank', admit(kernel.lifecycle), async (c) => {
    const body = await readBody(c, request);
    const documents = textsOf(body);
    const raw = body.raw_scores ?? false;
    const weights = body.weights ?? undefined;
    const ranking = { query: body.query, documents, raw, weights };
    const { ranked, tokens } = await rankDocuments(c, engine, score, ranking, body);
    if (isTeiRerank(body)) return c.json(teiRanks(ranked, body));
    const results = ranked.slice(0, body.top_n ?? undefined).map(({ index, score }) => {
      const result = { index, relevance_score: score };
      return body.return_documents ? { ...result, document: { text: documents[index] } } : result;
    });
    return c.json({ results, model_id: manifest.name, meta: { tokens: { input_tokens: tokens } } });
  });
  return { routes, operations: [{ ...OPERATION, request: { schema: request, examples: EXAMPLES } }] };
}

const textsOf = ({ documents, texts }: Static<ReturnType<typeof rerankRequest>>): string[] =>
  (documents ?? texts ?? []).map((item) => (typeof item === 'string' ? item : item.text));

const EXAMPLES = {
  documents: {
    query: 'Where does Anna live?',
    documents: ['Ben likes tea.', 'Anna lives in Berlin.'],
    top_n: 1,
    return_documents: true,
  },
  texts: { query: 'Where does Anna live?', texts: ['Ben likes tea.', 'Anna lives in Berlin.'] },
};

const OPERATION: Omit<Operation, 'request'> = {
  method: 'post',
  path: '/rerank',
  id: 'rerank',
  tag: 'Model',
  summary: 'Rank documents by relevance to a query.',
  description:
    'A request of text-embeddings-inference (`texts`, and `return_text`, `truncate` or nothing else) gets the response of that API: a list of `index`, `score` and `text`.',
  answer: {
    description: 'The documents, most relevant first.',
    schema: Type.Union([rerankResponse, teiRanksResponse]),
    examples: {
      documents: {
        results: [{ index: 1, relevance_score: 0.98, document: { text: 'Anna lives in Berlin.' } }],
        model_id: 'my-model',
        meta: { tokens: { input_tokens: 24 } },
      },
      texts: [{ index: 1, score: 0.98 }],
    },
    headers: ANSWER_HEADERS,
  },
  errors: WORK_ERRORS,
};

interface TeiRerank {
  readonly texts?: readonly string[];
  readonly top_n?: number | null;
  readonly return_text?: boolean | null;
}

/** Members that only clients of text-embeddings-inference send. */
const OWN = ['return_text', 'truncate', 'truncation_direction'];
const SHARED = new Set(['query', 'texts', 'raw_scores']);

/**
 * Whether a `/rerank` body uses the format of text-embeddings-inference: it has `texts`, and either
 * a member that only that API has, or no member that it lacks.
 */
function isTeiRerank(body: TeiRerank): boolean {
  if (body.texts === undefined) return false;
  return OWN.some((name) => name in body) || Object.keys(body).every((name) => SHARED.has(name));
}

/** The ranking in the shape of text-embeddings-inference. */
const teiRanks = (
  ranked: readonly { readonly index: number; readonly score: number }[],
  { texts = [], top_n, return_text: withText }: TeiRerank,
): object[] =>
  ranked
    .slice(0, top_n ?? undefined)
    .map(({ index, score }) => ({ index, ...(withText ? { text: texts[index] } : {}), score }));
