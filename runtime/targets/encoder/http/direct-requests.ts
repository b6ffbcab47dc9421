import { returnsTextVectors } from '../../../contract/model-types.ts';
import { createExchangeBodyReader } from '../../../serve/http/body.ts';
import {
  createDirectListener,
  type DirectListener,
  type DirectRoute,
} from '../../../serve/http/direct-route.ts';
import type { EncoderContext } from '../context.ts';
import { sharedRequests } from '../schemas/tei.ts';
import type { EncoderAppOptions } from './app.ts';
import { createEmbeddingsAnswer, EMBEDDINGS_PATH } from './embeddings-answer.ts';
import { createPredictAnswer } from './predict-answer.ts';
import type { AnswerExchange } from './run-model.ts';

/** Handles common requests of the model without the HTTP framework. The app handles all others. */
export function directRequests(
  context: EncoderContext,
  options: Pick<EncoderAppOptions, 'maxBodyBytes'>,
): DirectListener {
  const { manifest, limits } = context.engine;
  const readBody = createExchangeBodyReader(options);
  const routeOf = (route: string, answer: AnswerExchange): DirectRoute => ({
    route,
    path: new RegExp(`^${route}$`),
    maxBodyBytes: options.maxBodyBytes,
    answer: ({ exchange }) => answer(exchange),
  });
  const predict = createPredictAnswer(context, readBody, sharedRequests(manifest, limits));
  return createDirectListener(context.kernel, [
    routeOf('/predict', predict),
    ...(returnsTextVectors(manifest.modelType)
      ? [routeOf(EMBEDDINGS_PATH, createEmbeddingsAnswer(context, readBody))]
      : []),
  ]);
}
