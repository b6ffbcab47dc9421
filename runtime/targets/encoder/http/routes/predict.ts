import type { TUnsafe } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { hasImageInputs } from '#contract/model-types.ts';
import type { ExchangeBodyReader } from '#serve/http/body.ts';
import { type HttpAnswer, type HttpExchange, JSON_TYPE } from '#serve/http/exchange.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import { directRoute, type Route } from '#serve/http/route.ts';
import { runAdmitted } from '#serve/lifecycle.ts';
import type { EncoderContext } from '../../context.ts';
import { predict, predictRequest, predictResponse, type RunForm } from '../../predict/predict.ts';
import { EXAMPLE_IMAGE } from '../../schemas/images.ts';
import { SERVED } from '../../served/index.ts';
import type { PredictBody } from '../../served/served-type.ts';
import { readImageBody } from '../image-form.ts';
import { NO_GUARD } from '../model-route.ts';
import { ANSWER_HEADERS, callerAt, piecesAnswer, runModel } from '../run-model.ts';
import type { ForeignTask } from './inference-api.ts';

/**
 * `POST /predict`: runs the model on each input. If the body has the format of one of Hugging
 * Face's APIs, the response has that format, too. Otherwise, it has the format that the contract
 * defines.
 */
export function predictRoute(
  { engine, kernel }: EncoderContext,
  readBody: ExchangeBodyReader,
  task: ForeignTask | undefined,
  maxBodyBytes: number,
): Route {
  const { manifest, limits } = engine;
  const { texts, huggingFace } = SERVED[manifest.modelType];
  const request = predictRequest(manifest, limits);
  const { requests, answers } = examplesOf(manifest);
  const isForeign = (body: unknown): body is object => task?.isTheirs(body) ?? false;
  const handle = async (exchange: HttpExchange): Promise<HttpAnswer> => {
    const readJson = (): Promise<PredictBody | object> =>
      readBody<TUnsafe<PredictBody | object>>(exchange, (value) =>
        task && isForeign(value) ? task.schema : request,
      );
    const body = manifest.images
      ? await readImageBody(exchange, request, maxBodyBytes, readBody, readJson)
      : await readJson();
    const caller = callerAt(exchange);
    const run: RunForm = (form, wanted) => runModel(caller, form, wanted);
    if (!task || !isForeign(body)) return piecesAnswer(await predict(engine, body as PredictBody, run));
    const found = await task.answer(engine, body, (wanted) => run(engine, wanted), '/predict');
    return { status: 200, headers: JSON_TYPE, body: JSON.stringify(found) };
  };
  return directRoute({
    method: 'post',
    path: '/predict',
    guard: NO_GUARD,
    id: 'predict',
    tag: 'Model',
    summary: texts.summary,
    ...(huggingFace ? { description: huggingFace.note } : {}),
    request: { schema: request, examples: requests },
    answer: {
      description: 'One result per input, in input order.',
      schema: predictResponse(manifest),
      examples: answers,
      headers: ANSWER_HEADERS,
    },
    errors: WORK_ERRORS,
    direct: ({ exchange }) =>
      runAdmitted(kernel.lifecycle, async () => exchange.answer(await handle(exchange))),
  });
}

interface Examples {
  readonly requests: Readonly<Record<string, unknown>>;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Example requests and responses for the OpenAPI document, with the name and labels of the model. */
function examplesOf(manifest: Manifest): Examples {
  const { name: model_id, modelType } = manifest;
  const { request, result } = SERVED[modelType].example(manifest);
  const inputs = [hasImageInputs(modelType) ? EXAMPLE_IMAGE : 'Anna lives in Berlin.'];
  const text = { inputs, ...request };
  const results = text.inputs.map(() => result);
  const metadata = { source: 'reviews' };
  return {
    requests: { text, 'with metadata': { ...text, metadata } },
    answers: {
      text: { results, model_id },
      'with metadata': { results, model_id, metadata },
    },
  };
}
