import type { TUnsafe } from 'typebox';
import type { ModelType } from '#contract/model-types.ts';
import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { ExchangeBodyReader } from '#serve/http/body.ts';
import { type HttpAnswer, type HttpExchange, JSON_TYPE } from '#serve/http/exchange/exchange.ts';
import { runAdmitted } from '#serve/run-admitted.ts';
import type { EncoderContext } from '../context.ts';
import { predict } from '../predict/predict.ts';
import { type PredictRequest, predictRequest } from '../schemas/predict.ts';
import type { SharedRequests } from '../schemas/tei.ts';
import { piecesAnswer } from './json-bytes.ts';
import { type AnswerExchange, callerAt, type ModelCaller, runModel } from './run-model.ts';
import { answers } from './tei/answers.ts';
import { classify, isHuggingFaceBody } from './tei/classify.ts';
import { entities } from './tei/entities.ts';
import { fillMask } from './tei/fill-mask.ts';
import { zeroShot } from './tei/zero-shot.ts';

/** Answers requests of `/predict`: runs the model on each input. */
export function createPredictAnswer(
  { engine, kernel }: EncoderContext,
  readBody: ExchangeBodyReader,
  requests: SharedRequests,
): AnswerExchange {
  const request = predictRequest(engine.manifest, engine.limits);

  /** The contract's body and answer. */
  const answer = async (caller: ModelCaller, body: PredictRequest): Promise<HttpAnswer> =>
    piecesAnswer(await predict(engine, body, (wanted) => runModel(caller, engine, wanted)));
  const plain = async (exchange: HttpExchange): Promise<HttpAnswer> =>
    await answer(callerAt(exchange), await readBody(exchange, request));
  /** Answers a body of Hugging Face's APIs in their format, and any other body according to the contract. */
  const either =
    <Body extends object>(
      schema: TUnsafe<Body>,
      foreign: ForeignAnswer<Body>,
      isTheirs: (body: unknown) => boolean = isHuggingFaceBody,
    ) =>
    async (exchange: HttpExchange): Promise<HttpAnswer> => {
      const isForeign = (body: PredictRequest | Body): body is Body => isTheirs(body);
      const body = await readBody<TUnsafe<PredictRequest | Body>>(exchange, (value) =>
        isTheirs(value) ? schema : request,
      );
      const caller = callerAt(exchange);
      if (!isForeign(body)) return await answer(caller, body);
      return {
        status: 200,
        headers: JSON_TYPE,
        body: JSON.stringify(await foreign(caller, engine, body)),
      };
    };
  const handlers: Record<ModelType, (exchange: HttpExchange) => Promise<HttpAnswer>> = {
    sequence_classification: either(requests.classify, classify),
    zero_shot_classification: either(requests.zeroShot, zeroShot, hasParameters),
    question_answering: either(requests.answers, answers, asksOne),
    token_classification: either(requests.entities, entities),
    zero_shot_ner: plain,
    embedding: plain,
    fill_mask: either(requests.fillMask, fillMask),
    sparse_embedding: plain,
    sentence_embedding: plain,
    multi_vector: plain,
  };
  const handle = handlers[engine.manifest.modelType];
  return (exchange) => runAdmitted(kernel.lifecycle, async () => exchange.answer(await handle(exchange)));
}

type ForeignAnswer<Body> = (
  caller: ModelCaller,
  engine: EncoderContext['engine'],
  body: Body,
) => Promise<unknown>;

/** Whether `inputs` is one question instead of a list. */
const asksOne = (body: unknown): boolean => isObject(memberOf(body, 'inputs')) || hasParameters(body);

const hasParameters = (body: unknown): boolean => memberOf(body, 'parameters') !== undefined;
