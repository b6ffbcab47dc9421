import { type Context, Hono } from 'hono';
import type { TUnsafe } from 'typebox';
import type { ModelType } from '../../../../contract/model-types.ts';
import { isObject } from '../../../../core/json/is-object.ts';
import { memberOf } from '../../../../core/values/member-of.ts';
import { admit } from '../../../../serve/http/admit.ts';
import type { BodyReader } from '../../../../serve/http/body.ts';
import { WORK_ERRORS } from '../../../../serve/http/openapi/statuses.ts';
import type { EncoderContext } from '../../context.ts';
import { predict } from '../../predict/predict.ts';
import { predictExamples } from '../examples.ts';
import { jsonAnswer } from '../json-bytes.ts';
import type { RouteGroup } from '../../../../serve/http/route-group.ts';
import { runModel, ANSWER_HEADERS } from '../run-model.ts';
import { type PredictRequest, predictRequest, predictResponse } from '../../schemas/predict.ts';
import type { SharedRequests } from '../../schemas/tei.ts';
import { answers } from '../tei/answers.ts';
import { classify, isHuggingFaceBody } from '../tei/classify.ts';
import { entities } from '../tei/entities.ts';
import { fillMask } from '../tei/fill-mask.ts';
import { zeroShot } from '../tei/zero-shot.ts';

/** `POST /predict`: runs the model on each input. */
export function predictRoutes(
  { engine, kernel }: EncoderContext,
  readBody: BodyReader,
  requests: SharedRequests,
): RouteGroup {
  const { modelType } = engine.manifest;
  const request = predictRequest(engine.manifest, engine.limits);
  const routes = new Hono();

  /** The contract's body and answer. */
  const answer = async (c: Context, body: PredictRequest): Promise<Response> =>
    jsonAnswer(c, await predict(engine, body, (wanted) => runModel(c, engine, wanted)));
  /** Answers a body of Hugging Face's APIs in their format, and any other body according to the contract. */
  const either =
    <Body extends object>(
      schema: TUnsafe<Body>,
      foreign: ForeignAnswer<Body>,
      isTheirs: (body: unknown) => boolean = isHuggingFaceBody,
    ) =>
    async (c: Context): Promise<Response> => {
      const isForeign = (body: PredictRequest | Body): body is Body => isTheirs(body);
      const body = await readBody<TUnsafe<PredictRequest | Body>>(c, (value) =>
        isTheirs(value) ? schema : request,
      );
      return isForeign(body) ? await foreign(c, engine, body) : await answer(c, body);
    };
  const handlers: Record<ModelType, (c: Context) => Promise<Response>> = {
    sequence_classification: either(requests.classify, classify),
    zero_shot_classification: either(requests.zeroShot, zeroShot, hasParameters),
    question_answering: either(requests.answers, answers, asksOne),
    token_classification: either(requests.entities, entities),
    zero_shot_ner: async (c) => answer(c, await readBody(c, request)),
    embedding: async (c) => answer(c, await readBody(c, request)),
    fill_mask: either(requests.fillMask, fillMask),
    sparse_embedding: async (c) => answer(c, await readBody(c, request)),
    sentence_embedding: async (c) => answer(c, await readBody(c, request)),
    multi_vector: async (c) => answer(c, await readBody(c, request)),
  };
  routes.post('/predict', admit(kernel.lifecycle), handlers[modelType]);

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
        request: { schema: request, examples: predictExamples(engine.manifest).requests },
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

type ForeignAnswer<Body> = (c: Context, engine: EncoderContext['engine'], body: Body) => Promise<Response>;

/** Whether `inputs` is one question instead of a list. */
const asksOne = (body: unknown): boolean => isObject(memberOf(body, 'inputs')) || hasParameters(body);

const hasParameters = (body: unknown): boolean => memberOf(body, 'parameters') !== undefined;

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
