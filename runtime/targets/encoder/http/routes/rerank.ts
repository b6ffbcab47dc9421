import { Hono } from 'hono';
import { AppError } from '../../../../contract/errors.ts';
import type { Manifest } from '../../../../contract/manifest.ts';
import { shortestFloat32 } from '../../../../core/numbers/float32.ts';
import { withArticle } from '../../../../core/text/with-article.ts';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import { sigmoid } from '../../maths/softmax.ts';
import { admit } from '../../../../serve/http/admit.ts';
import type { BodyReader } from '../../../../serve/http/body.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { WORK_ERRORS } from '../../../../serve/http/openapi/statuses.ts';
import type { EncoderContext } from '../../context.ts';
import type { RouteGroup } from '../../../../serve/http/route-group.ts';
import { runModel, sumOf, TIMING_HEADERS } from '../run-model.ts';
import { rerankRequest, rerankResponse } from '../../schemas/rerank.ts';

/** `POST /rerank`: ranks documents by relevance to a query, with a cross-encoder. */
export function rerankRoutes({ engine, kernel }: EncoderContext, readBody: BodyReader): RouteGroup {
  const { manifest, limits } = engine;
  const routes = new Hono();
  if (manifest.modelType !== 'sequence_classification' || manifest.width !== 1) {
    routes.post('/rerank', () => {
      throw new AppError('NotFoundError', noReranker(manifest));
    });
    return { routes, operations: [] };
  }
  const request = rerankRequest(limits.maxClientBatch);

  routes.post('/rerank', admit(kernel.lifecycle), async (c) => {
    const body = await readBody(c, request);
    const documents = (body.documents ?? body.texts ?? []).map((item) =>
      typeof item === 'string' ? item : item.text,
    );
    const { results, tokens } = await runModel(
      c,
      engine,
      documents.map((pair) => ({ text: body.query, pair })),
      { kind: 'result', format: 'json', options: {} },
    );
    const ranked = results
      .map((bytes, index) => ({ index, relevance_score: scoreOf(bytes, body.raw_scores ?? false) }))
      .sort((a, b) => b.relevance_score - a.relevance_score)
      .slice(0, body.top_n ?? undefined)
      .map((result) =>
        body.return_documents ? { ...result, document: { text: documents[result.index] } } : result,
      );
    const meta = { tokens: { input_tokens: sumOf(tokens) } };
    return c.json({ results: ranked, model_id: manifest.name, meta });
  });
  return { routes, operations: [{ ...OPERATION, request: { schema: request, examples: EXAMPLES } }] };
}

function noReranker({ name, modelType, width }: Manifest): string {
  const labels = modelType === 'sequence_classification' ? ` with ${width} labels` : '';
  return `/rerank requires a sequence_classification model with one label, but ${name} is ${withArticle(modelType)} model${labels}.`;
}

/** Computed from the logit, because `scores` can come from a transform or a regression model and may not be between 0 and 1. */
function scoreOf(result: Uint8Array, raw: boolean): number {
  const { logits } = parseJsonText(Buffer.from(result).toString()) as { logits: number[] };
  const logit = Float32Array.from(logits);
  return shortestFloat32((raw ? logit : sigmoid(logit))[0] ?? 0);
}

const EXAMPLES = {
  documents: {
    query: 'Where does Anna live?',
    documents: ['Ben likes tea.', 'Anna lives in Berlin.'],
    top_n: 1,
    return_documents: true,
  },
};

const OPERATION: Omit<Operation, 'request'> = {
  method: 'post',
  path: '/rerank',
  id: 'rerank',
  tag: 'Model',
  summary: 'Rank documents by relevance to a query.',
  answer: {
    description: 'The documents, most relevant first.',
    schema: rerankResponse,
    examples: {
      documents: {
        results: [{ index: 1, relevance_score: 0.98, document: { text: 'Anna lives in Berlin.' } }],
        model_id: 'my-model',
        meta: { tokens: { input_tokens: 24 } },
      },
    },
    headers: TIMING_HEADERS,
  },
  errors: WORK_ERRORS,
};
