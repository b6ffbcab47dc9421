import { type Context, Hono } from 'hono';
import type { Static, TSchema } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { returnsTextVectors, vectorKind } from '#contract/model-types.ts';
import { withArticle } from '#core/text/with-article.ts';
import { admit } from '#serve/lifecycle.ts';
import type { BodyReader } from '#serve/http/body.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import type { EncoderContext } from '../../context.ts';
import {
  embedAllResponse,
  embedResponse,
  embedSparseResponse,
  infoResponse,
  similarityResponse,
  type VectorRequests,
} from '../../schemas/tei.ts';
import { SERVED } from '../../served/index.ts';
import { ANSWER_HEADERS } from '../run-model.ts';
import { embed, embedAll, embedSparse, similarity } from '../tei/vectors.ts';

/**
 * Routes for clients of text-embeddings-inference, in addition to `/predict`, `/rerank`,
 * `/tokenize` and `/decode`.
 */
export function teiRoutes(
  context: EncoderContext,
  readBody: BodyReader,
  requests: VectorRequests,
): RouteGroup {
  const { engine, kernel } = context;
  const { name, modelType, tokenOutputs } = engine.manifest;
  const vectors = vectorKind(modelType);
  const routes = new Hono();
  const info = teiInfo(context);
  routes.get('/info', (c) => c.json(info));
  const operations = [infoOperation(info)];
  const post = (path: string, handler: (c: Context) => Promise<Response>): unknown =>
    routes.post(path, admit(kernel.lifecycle), handler);
  const refuse = (path: string, reason: string): void => {
    routes.post(path, () => {
      throw new AppError('NotFoundError', reason);
    });
  };

  if (vectors === 'sparse') {
    for (const path of ['/embed', '/embed_all']) {
      refuse(
        path,
        `${path} requires a model with dense vectors, but ${name} is ${withArticle(modelType)} model. Use /embed_sparse.`,
      );
    }
    post('/embed_sparse', async (c) => embedSparse(c, engine, await readBody(c, requests.embedSparse)));
    post('/similarity', async (c) => similarity(c, engine, await readBody(c, requests.similarity)));
    operations.push(embedSparseOperation(requests.embedSparse), similarityOperation(requests.similarity));
    return { routes, operations };
  }
  if (tokenOutputs) {
    post('/embed_sparse', async (c) => embedSparse(c, engine, await readBody(c, requests.embedSparse)));
    operations.push(embedSparseOperation(requests.embedSparse));
  } else {
    refuse(
      '/embed_sparse',
      `/embed_sparse requires a model with sparse vectors, but ${name} is ${withArticle(modelType)} model. Use ${returnsTextVectors(modelType) ? '/embed' : '/predict'}.`,
    );
  }
  if (!returnsTextVectors(modelType)) {
    for (const path of ['/embed', '/embed_all', '/similarity']) {
      refuse(
        path,
        `${path} requires an embedding model, but ${name} is ${withArticle(modelType)} model. Use /predict.`,
      );
    }
    return { routes, operations };
  }
  post('/embed', async (c) => embed(c, engine, await readBody(c, requests.embed)));
  post('/similarity', async (c) => similarity(c, engine, await readBody(c, requests.similarity)));
  operations.push(embedOperation(requests.embed), similarityOperation(requests.similarity));
  if (vectors === 'tokens') {
    post('/embed_all', async (c) => embedAll(c, engine, await readBody(c, requests.embedAll)));
    operations.push(embedAllOperation(requests.embedAll));
  } else {
    refuse(
      '/embed_all',
      `/embed_all requires an embedding model, but ${name} is ${withArticle(modelType)} model, which has one vector per text. Use /embed.`,
    );
  }
  return { routes, operations };
}

/** The response of `GET /info`, in the shape of text-embeddings-inference. */
function teiInfo({ engine, runtime }: EncoderContext): Static<typeof infoResponse> {
  const { manifest, limits } = engine;
  return {
    model_id: manifest.name,
    served_model_name: manifest.name,
    model_sha: null,
    // Vectors and scores are always float32, whatever the precision of the weights.
    model_dtype: 'float32',
    model_type: SERVED[manifest.modelType].info(manifest),
    max_concurrent_requests: limits.maxQueue,
    max_input_length: manifest.tokenizer.maxLength,
    max_client_batch_size: limits.maxClientBatch,
    auto_truncate: limits.onOverflow === 'truncate',
    version: runtime.version,
  };
}

const TAG = 'text-embeddings-inference';
const POST = { method: 'post', tag: TAG, errors: WORK_ERRORS } as const;
const INPUTS = { texts: { inputs: ['Anna lives in Berlin.'] } };

const embedOperation = (schema: TSchema): Operation => ({
  ...POST,
  path: '/embed',
  id: 'embed',
  summary: 'Compute one vector per input, L2-normalized by default.',
  request: { schema, examples: INPUTS },
  answer: {
    description: 'One vector per input, in input order.',
    schema: embedResponse,
    examples: { texts: [[0.6, -0.8]] },
    headers: ANSWER_HEADERS,
  },
});

const embedAllOperation = (schema: TSchema): Operation => ({
  ...POST,
  path: '/embed_all',
  id: 'embedAll',
  summary: 'Compute one vector per token of each input.',
  request: { schema, examples: INPUTS },
  answer: {
    description: 'Unpooled token vectors of each input.',
    schema: embedAllResponse,
    examples: { texts: [[[0.6, -0.8]]] },
    headers: ANSWER_HEADERS,
  },
});

const embedSparseOperation = (schema: TSchema): Operation => ({
  ...POST,
  path: '/embed_sparse',
  id: 'embedSparse',
  summary: 'Compute one sparse vector per input.',
  request: { schema, examples: INPUTS },
  answer: {
    description: 'One sparse vector per input, in input order.',
    schema: embedSparseResponse,
    examples: SPARSE_ANSWER,
    headers: ANSWER_HEADERS,
  },
});

const SPARSE_ANSWER = {
  texts: [
    [
      { index: 2013, value: 0.52 },
      { index: 5075, value: 1.61 },
    ],
  ],
};

const similarityOperation = (schema: TSchema): Operation => ({
  ...POST,
  path: '/similarity',
  id: 'similarity',
  summary: 'Compare sentences with a source sentence.',
  request: {
    schema,
    examples: {
      sentences: {
        inputs: { source_sentence: 'Where does Anna live?', sentences: ['Anna lives in Berlin.'] },
      },
    },
  },
  answer: {
    description:
      'One similarity per sentence, greater for more similar ones: the cosine, or the function of the model (`similarity_fn_name` of `GET /model`).',
    schema: similarityResponse,
    examples: { sentences: [0.83] },
    headers: ANSWER_HEADERS,
  },
});

const infoOperation = (info: object): Operation => ({
  method: 'get',
  path: '/info',
  id: 'info',
  tag: TAG,
  summary: 'Describe the model and the limits of the server.',
  answer: { description: 'The model and the limits.', schema: infoResponse, examples: { model: info } },
  errors: [],
});
