import { type Context, Hono } from 'hono';
import { type TSchema, type TUnsafe, Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import { withArticle } from '#core/text/with-article.ts';
import { memberOf } from '#core/values/member-of.ts';
import { admit } from '#serve/http/admit.ts';
import type { BodyReader } from '#serve/http/body.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import type { EncoderContext } from '../../context.ts';
import {
  classifyResponse,
  embedResponse,
  embedSparseResponse,
  entitiesResponse,
  fillMaskResponse,
  type SimilarityRequest,
  similarityResponse,
  type SharedRequests,
} from '../../schemas/tei.ts';
import { answersResponse } from '../../schemas/question-answering.ts';
import { zeroShotResponse } from '../../schemas/zero-shot.ts';
import { ANSWER_HEADERS, callerOf } from '../run-model.ts';
import { answers } from '../tei/answers.ts';
import { classify } from '../tei/classify.ts';
import { embed } from '../tei/embed.ts';
import { embedSparse } from '../tei/embed-sparse.ts';
import { entities } from '../tei/entities.ts';
import { fillMask } from '../tei/fill-mask.ts';
import { similarity } from '../tei/similarity.ts';
import { zeroShot } from '../tei/zero-shot.ts';

/** `POST /`: the task of the model, for clients of Hugging Face's Inference API that are given the address of the server only. */
export function inferenceApiRoutes(
  { engine, kernel }: EncoderContext,
  readBody: BodyReader,
  requests: SharedRequests,
): RouteGroup {
  const { name, modelType } = engine.manifest;
  const orSimilarity =
    <Body extends object>(
      schema: TUnsafe<Body>,
      answer: (c: Context, engine: EncoderContext['engine'], body: Body) => Promise<Response>,
    ) =>
    async (c: Context): Promise<Response> => {
      const body = await readBody<TUnsafe<Body | SimilarityRequest>>(c, (value) =>
        isSimilarity(value) ? requests.similarity : schema,
      );
      return isSimilarity(body) ? await similarity(c, engine, body) : await answer(c, engine, body);
    };
  const vectorsOrSimilarity =
    modelType === 'sparse_embedding'
      ? orSimilarity(requests.embedSparse, embedSparse)
      : orSimilarity(requests.embed, embed);
  const routes = new Hono();
  if (modelType === 'multi_vector' || modelType === 'zero_shot_ner') {
    const wayOut = modelType === 'multi_vector' ? '/rerank or /predict' : '/predict';
    routes.post('/', () => {
      throw new AppError(
        'NotFoundError',
        `The Inference API has no task for ${name}, which is ${withArticle(modelType)} model. Use ${wayOut}.`,
      );
    });
    return { routes, operations: [] };
  }
  routes.post('/', admit(kernel.lifecycle), async (c) => {
    // The page at this path needs no key, but the model does.
    kernel.access.check(c.req.header('Authorization'));
    const caller = callerOf(c);
    if (modelType === 'sequence_classification') {
      return c.json(await classify(caller, engine, await readBody(c, requests.classify), 'inference-api'));
    }
    if (modelType === 'zero_shot_classification') {
      return c.json(await zeroShot(caller, engine, await readBody(c, requests.zeroShot)));
    }
    if (modelType === 'question_answering') {
      return c.json(await answers(caller, engine, await readBody(c, requests.answers)));
    }
    if (modelType === 'fill_mask')
      return c.json(await fillMask(caller, engine, await readBody(c, requests.fillMask)));
    if (modelType === 'token_classification') {
      return c.json(await entities(caller, engine, await readBody(c, requests.entities)));
    }
    return await vectorsOrSimilarity(c);
  });
  const { mask } = engine.manifest;
  const {
    request,
    answer,
    examples,
    body = { inputs: mask ? `Anna ${mask.token} in Berlin.` : 'Anna lives in Berlin.' },
  } = shapes(requests)[modelType];
  return {
    routes,
    operations: [
      {
        method: 'post',
        path: '/',
        id: 'run',
        tag: 'Hugging Face',
        summary: 'Run the task of the model, in the format of the Inference API.',
        request: { schema: request, examples: { text: body } },
        answer: {
          description: 'The result of the task.',
          schema: answer,
          examples: { text: examples },
          headers: ANSWER_HEADERS,
        },
        errors: WORK_ERRORS,
      },
    ],
  };
}

interface Shape {
  readonly request: TSchema;
  readonly answer: TSchema;
  readonly examples: unknown;
  /** Example of a request. Default: a text. */
  readonly body?: object;
}

function shapes(
  requests: SharedRequests,
): Record<Exclude<ModelType, 'multi_vector' | 'zero_shot_ner'>, Shape> {
  const embeddings: Shape = {
    request: Type.Union([requests.embed, requests.similarity]),
    answer: Type.Union([embedResponse, similarityResponse]),
    examples: [[0.6, -0.8]],
  };
  return {
    embedding: embeddings,
    fill_mask: {
      request: requests.fillMask,
      answer: fillMaskResponse,
      examples: [{ score: 0.61, token: 3268, token_str: 'lives', sequence: 'anna lives in berlin.' }],
    },
    sparse_embedding: {
      request: Type.Union([requests.embedSparse, requests.similarity]),
      answer: Type.Union([embedSparseResponse, similarityResponse]),
      examples: [[{ index: 5075, value: 1.61 }]],
    },
    sentence_embedding: embeddings,
    sequence_classification: {
      request: requests.classify,
      answer: classifyResponse,
      examples: [[{ label: 'positive', score: 0.98 }]],
    },
    zero_shot_classification: {
      request: requests.zeroShot,
      answer: zeroShotResponse,
      body: { inputs: 'The team won the match.', parameters: { candidate_labels: ['sport', 'cooking'] } },
      examples: {
        sequence: 'The team won the match.',
        labels: ['sport', 'cooking'],
        scores: [0.98, 0.02],
      },
    },
    question_answering: {
      request: requests.answers,
      answer: answersResponse,
      body: { inputs: { question: 'Where does Anna live?', context: 'Anna lives in Berlin.' } },
      examples: { answer: 'Berlin', score: 0.98, start: 14, end: 20 },
    },
    token_classification: {
      request: requests.entities,
      answer: entitiesResponse,
      examples: [{ entity_group: 'PER', score: 0.98, word: 'Anna', start: 0, end: 4 }],
    },
  };
}

const isSimilarity = (body: unknown): body is SimilarityRequest =>
  memberOf(memberOf(body, 'inputs'), 'source_sentence') !== undefined;
