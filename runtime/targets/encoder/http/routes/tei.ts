import type { Static } from 'typebox';
import { readsImages, returnsTextVectors, vectorKind } from '#contract/model-types.ts';
import { withArticle } from '#core/text/with-article.ts';
import { bodilessRoute, type Route } from '#serve/http/route.ts';
import type { EncoderContext } from '../../context.ts';
import {
  embedAllResponse,
  embedResponse,
  embedSparseResponse,
  infoResponse,
  similarityResponse,
  type VectorRequests,
} from '../../schemas/tei.ts';
import { EXAMPLE_IMAGE } from '../../schemas/images.ts';
import { SERVED } from '../../served/index.ts';
import { NO_GUARD, type ModelRoutes, unsupportedRoute } from '../model-route.ts';
import { ANSWER_HEADERS } from '../run-model.ts';
import { embed, embedAll, embedSparse, similarity } from '../tei/vectors.ts';

/**
 * Routes for clients of text-embeddings-inference, in addition to `/predict`, `/rerank`,
 * `/tokenize` and `/decode`.
 */
export function teiRoutes(
  context: EncoderContext,
  models: ModelRoutes,
  requests: VectorRequests,
): readonly Route[] {
  const { name, modelType, tokenOutputs } = context.engine.manifest;
  const embed = embedRoute(context, models, requests.embed);
  const embedAll = embedAllRoute(context, models, requests.embedAll);
  const embedSparse = embedSparseRoute(context, models, requests.embedSparse);
  const similarity = similarityRoute(context, models, requests.similarity);
  const unsupported = (path: string, requires: string, wayOut: string, which = ''): Route =>
    unsupportedRoute(
      path,
      `${path} requires ${requires}, but ${name} is ${withArticle(modelType)} model${which}. Use ${wayOut}.`,
    );
  const vectors = vectorKind(modelType);
  if (vectors === 'sparse') {
    const dense = 'a model with dense vectors';
    return [
      infoRoute(context),
      embedSparse,
      similarity,
      unsupported('/embed', dense, '/embed_sparse'),
      unsupported('/embed_all', dense, '/embed_sparse'),
    ];
  }
  const instead = returnsTextVectors(modelType) ? '/embed' : '/predict';
  const sparse = tokenOutputs
    ? embedSparse
    : unsupported('/embed_sparse', 'a model with sparse vectors', instead);
  const embedding = 'an embedding model';
  if (!returnsTextVectors(modelType)) {
    const others = ['/embed', '/embed_all', '/similarity'];
    return [infoRoute(context), sparse, ...others.map((path) => unsupported(path, embedding, '/predict'))];
  }
  return [
    infoRoute(context),
    sparse,
    embed,
    readsImages(modelType)
      ? unsupportedRoute(
          '/similarity',
          `/similarity compares sentences, but ${name} reads images. Use /v1/embeddings.`,
        )
      : similarity,
    vectors === 'tokens'
      ? embedAll
      : unsupported('/embed_all', embedding, '/embed', ', which returns one vector per text'),
  ];
}

/** The response of `GET /info`, in the format of text-embeddings-inference. */
function teiInfo({ engine, runtime }: EncoderContext): Static<typeof infoResponse> {
  const { manifest, limits } = engine;
  return {
    model_id: manifest.name,
    served_model_name: manifest.name,
    model_sha: null,
    // Vectors and scores are always float32, regardless of the precision of the weights.
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
const INPUTS = { texts: { inputs: ['Anna lives in Berlin.'] } };
const IMAGE_INPUTS = { images: { inputs: [EXAMPLE_IMAGE] } };

const infoRoute = (context: EncoderContext): Route => {
  const info = teiInfo(context);
  return bodilessRoute({
    method: 'get',
    path: '/info',
    guard: NO_GUARD,
    id: 'info',
    tag: TAG,
    summary: 'Get the model’s settings and the server’s limits.',
    answer: { description: 'The settings and limits.', schema: infoResponse, examples: { model: info } },
    run: () => info,
  });
};

const embedRoute = (
  { engine }: EncoderContext,
  { route, guard }: ModelRoutes,
  schema: VectorRequests['embed'],
): Route =>
  route({
    method: 'post',
    path: '/embed',
    guard,
    id: 'embed',
    tag: TAG,
    summary: 'Compute one vector per input, L2-normalized by default.',
    request: { schema, examples: engine.manifest.images ? IMAGE_INPUTS : INPUTS },
    answer: {
      description: 'One vector per input, in input order.',
      schema: embedResponse,
      examples: { texts: [[0.6, -0.8]] },
      headers: ANSWER_HEADERS,
    },
    run: (c, body) => embed(c, engine, body),
  });

const embedAllRoute = (
  { engine }: EncoderContext,
  { route, guard }: ModelRoutes,
  schema: VectorRequests['embedAll'],
): Route =>
  route({
    method: 'post',
    path: '/embed_all',
    guard,
    id: 'embedAll',
    tag: TAG,
    summary: 'Compute one vector per token in each input.',
    request: { schema, examples: INPUTS },
    answer: {
      description: 'Unpooled token vectors of each input.',
      schema: embedAllResponse,
      examples: { texts: [[[0.6, -0.8]]] },
      headers: ANSWER_HEADERS,
    },
    run: (c, body) => embedAll(c, engine, body),
  });

const embedSparseRoute = (
  { engine }: EncoderContext,
  { route, guard }: ModelRoutes,
  schema: VectorRequests['embedSparse'],
): Route =>
  route({
    method: 'post',
    path: '/embed_sparse',
    guard,
    id: 'embedSparse',
    tag: TAG,
    summary: 'Compute one sparse vector per input.',
    request: { schema, examples: INPUTS },
    answer: {
      description: 'One sparse vector per input, in input order.',
      schema: embedSparseResponse,
      examples: {
        texts: [
          [
            { index: 2013, value: 0.52 },
            { index: 5075, value: 1.61 },
          ],
        ],
      },
      headers: ANSWER_HEADERS,
    },
    run: (c, body) => embedSparse(c, engine, body),
  });

const similarityRoute = (
  { engine }: EncoderContext,
  { route, guard }: ModelRoutes,
  schema: VectorRequests['similarity'],
): Route =>
  route({
    method: 'post',
    path: '/similarity',
    guard,
    id: 'similarity',
    tag: TAG,
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
        'One similarity per sentence; higher values mean more similar sentences. Computed with the model’s similarity function (`similarity_fn_name` in `GET /model`). Default: cosine.',
      schema: similarityResponse,
      examples: { sentences: [0.83] },
      headers: ANSWER_HEADERS,
    },
    run: (c, body) => similarity(c, engine, body),
  });
