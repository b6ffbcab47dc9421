import { Hono } from 'hono';
import type { ModelType } from '../../../../contract/model-types.ts';
import { admit } from '../../../../serve/http/admit.ts';
import type { BodyReader } from '../../../../serve/http/body.ts';
import { WORK_ERRORS } from '../../../../serve/http/openapi/statuses.ts';
import type { EncoderContext } from '../../context.ts';
import { predict } from '../../predict/predict.ts';
import { predictExamples } from '../examples.ts';
import { jsonAnswer } from '../json-bytes.ts';
import type { RouteGroup } from '../../../../serve/http/route-group.ts';
import { runModel, TIMING_HEADERS } from '../run-model.ts';
import { predictRequest, predictResponse } from '../../schemas/predict.ts';

/** `POST /predict`: runs the model on each input. */
export function predictRoutes({ engine, kernel }: EncoderContext, readBody: BodyReader): RouteGroup {
  const { modelType } = engine.manifest;
  const request = predictRequest(modelType, engine.limits.maxClientBatch);
  const routes = new Hono();

  routes.post('/predict', admit(kernel.lifecycle), async (c) => {
    const body = await readBody(c, request);
    const pieces = await predict(engine, body, (inputs, view, prompt) =>
      runModel(c, engine, inputs, view, prompt),
    );
    return jsonAnswer(c, pieces);
  });

  return {
    routes,
    operations: [
      {
        method: 'post',
        path: '/predict',
        id: 'predict',
        tag: 'Model',
        summary: SUMMARIES[modelType],
        request: { schema: request, examples: predictExamples(engine.manifest).requests },
        answer: {
          description: 'One result per input, in input order.',
          schema: predictResponse(modelType),
          examples: predictExamples(engine.manifest).answers,
          headers: TIMING_HEADERS,
        },
        errors: WORK_ERRORS,
      },
    ],
  };
}

const SUMMARIES: Record<ModelType, string> = {
  embedding: 'Compute one vector per token of each text.',
  sequence_classification: 'Classify each text.',
  token_classification: 'Classify each token of each text.',
  sentence_embedding: 'Compute one vector per text.',
};
