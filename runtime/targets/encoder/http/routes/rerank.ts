import { type Static, Type } from 'typebox';
import type { Route } from '#serve/http/route.ts';
import type { EncoderContext } from '../../context.ts';
import { rerankRequest, rerankResponse } from '../../schemas/rerank.ts';
import { teiRanksResponse } from '../../schemas/tei.ts';
import { type ModelRoutes, unsupportedRoute } from '../model-route.ts';
import { noReranker, rankDocuments, scorerOf } from '../rank-documents.ts';
import { ANSWER_HEADERS } from '../run-model.ts';

/** `POST /rerank`: ranks documents by relevance to a query, with a cross-encoder. */
export function rerankRoute({ engine }: EncoderContext, { route, guard }: ModelRoutes): Route {
  const { manifest, limits } = engine;
  const score = scorerOf(manifest);
  if (!score) return unsupportedRoute('/rerank', noReranker('/rerank', manifest));
  return route({
    method: 'post',
    path: '/rerank',
    guard,
    id: 'rerank',
    tag: 'Model',
    summary: 'Rank documents by relevance to a query.',
    description:
      'A request in the format of text-embeddings-inference (`texts`, optionally with `return_text` and `truncate`) gets the response of that API: a list of objects with `index`, `score` and `text`.',
    request: { schema: rerankRequest(limits.maxClientBatch, manifest), examples: REQUESTS },
    answer: {
      description: 'The documents, most relevant first.',
      schema: Type.Union([rerankResponse, teiRanksResponse]),
      examples: ANSWERS,
      headers: ANSWER_HEADERS,
    },
    async run(c, body) {
      const documents = textsOf(body);
      const raw = body.raw_scores ?? false;
      // Models with one output ignore this field, like all unknown keys.
      const weights = manifest.tokenOutputs ? (body.weights ?? undefined) : undefined;
      const ranking = { query: body.query, documents, raw, weights };
      const { ranked, tokens } = await rankDocuments(c, engine, score, ranking, body);
      if (isTeiRerank(body)) return teiRanks(ranked, body);
      const results = ranked.slice(0, body.top_n ?? undefined).map(({ index, score }) => {
        const result = { index, relevance_score: score };
        return body.return_documents ? { ...result, document: { text: documents[index] ?? '' } } : result;
      });
      return { results, model_id: manifest.name, meta: { tokens: { input_tokens: tokens } } };
    },
  });
}

const textsOf = ({ documents, texts }: Static<ReturnType<typeof rerankRequest>>): string[] =>
  (documents ?? texts ?? []).map((item) => (typeof item === 'string' ? item : item.text));

const REQUESTS = {
  documents: {
    query: 'Where does Anna live?',
    documents: ['Ben likes tea.', 'Anna lives in Berlin.'],
    top_n: 1,
    return_documents: true,
  },
  texts: { query: 'Where does Anna live?', texts: ['Ben likes tea.', 'Anna lives in Berlin.'] },
};

const ANSWERS = {
  documents: {
    results: [{ index: 1, relevance_score: 0.98, document: { text: 'Anna lives in Berlin.' } }],
    model_id: 'my-model',
    meta: { tokens: { input_tokens: 24 } },
  },
  texts: [{ index: 1, score: 0.98 }],
};

interface TeiRerank {
  readonly texts?: readonly string[];
  readonly top_n?: number | null;
  readonly return_text?: boolean | null;
}

/** Fields that only clients of text-embeddings-inference send. */
const OWN = ['return_text', 'truncate', 'truncation_direction'];
const SHARED = new Set(['query', 'texts', 'raw_scores']);

/**
 * Whether a `/rerank` body uses the format of text-embeddings-inference: it has `texts`, and it has
 * either a field that only exists in that API, or no fields that do not exist in it.
 */
function isTeiRerank(body: TeiRerank): boolean {
  if (body.texts === undefined) return false;
  return OWN.some((name) => name in body) || Object.keys(body).every((name) => SHARED.has(name));
}

/** Returns the ranking in the format of text-embeddings-inference. */
const teiRanks = (
  ranked: readonly { readonly index: number; readonly score: number }[],
  { texts = [], top_n, return_text: withText }: TeiRerank,
): Static<typeof teiRanksResponse> =>
  ranked
    .slice(0, top_n ?? undefined)
    .map(({ index, score }) => ({ index, ...(withText ? { text: texts[index] ?? '' } : {}), score }));
