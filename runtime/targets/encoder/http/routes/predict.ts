import { Hono } from 'hono';
import type { ModelType } from '#contract/model-types.ts';
import { answerRequest } from '#serve/http/exchange/fetch-exchange.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { EncoderContext } from '../../context.ts';
import { predictExamples } from '../examples.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import { ANSWER_HEADERS, type AnswerExchange } from '../run-model.ts';
import { predictRequest, predictResponse } from '../../schemas/predict.ts';

/** `POST /predict`: runs the model on each input. */
export function predictRoutes({ engine }: EncoderContext, answer: AnswerExchange): RouteGroup {
  const { modelType } = engine.manifest;
  const routes = new Hono();
  routes.post('/predict', (c) => answerRequest(c, answer));

  return {
    routes,
    operations: [
      {
        method: 'post',
        path: '/predict',
        id: 'predict',
        tag: 'Model',
        summary: SUMMARIES[modelType],
        ...(OTHER_BODIES[modelType] === undefined ? {} : { description: OTHER_BODIES[modelType] }),
        request: {
          schema: predictRequest(engine.manifest, engine.limits),
          examples: predictExamples(engine.manifest).requests,
        },
        answer: {
          description: 'One result per input, in input order.',
          schema: predictResponse(engine.manifest),
          examples: predictExamples(engine.manifest).answers,
          headers: ANSWER_HEADERS,
        },
        errors: WORK_ERRORS,
      },
    ],
  };
}

const HUGGING_FACE_BODIES =
  'A body with `raw_scores` or `parameters`, or with a single text as `inputs`, gets the response of the API that has them: text-embeddings-inference, or the Inference API, as at `/`.';

const OTHER_BODIES: Partial<Record<ModelType, string>> = {
  fill_mask: HUGGING_FACE_BODIES,
  sequence_classification: HUGGING_FACE_BODIES,
  zero_shot_classification: 'A body with `parameters` gets the response of the Inference API, as at `/`.',
  question_answering:
    'A body with one question as `inputs`, or with `parameters`, gets the response of the Inference API, as at `/`.',
  token_classification: HUGGING_FACE_BODIES,
};

const SUMMARIES: Record<ModelType, string> = {
  embedding: 'Compute one vector per token of each text.',
  fill_mask: 'Predict the masked words of each text.',
  sparse_embedding: 'Compute one sparse vector per text.',
  sequence_classification: 'Classify each text.',
  zero_shot_classification: 'Score the labels of the request for each text.',
  question_answering: 'Find the answer of each question in its context.',
  token_classification: 'Classify each token of each text.',
  zero_shot_ner: 'Find entities of the given types in each text.',
  sentence_embedding: 'Compute one vector per text.',
  multi_vector: 'Compute one vector per token of each query or document.',
};
