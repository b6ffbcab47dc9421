import type { Context } from 'hono';
import type { VectorPlan } from '#core/model/vector-plan.ts';
import type { ServingEngine, View } from '../../engine/serving.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { EmbedAllRequest, EmbedRequest } from '../../schemas/tei.ts';
import { embeddingInputs, planEmbeddings } from '../embedding-inputs.ts';
import { jsonAnswer, listPieces } from '../json-bytes.ts';
import { checkTokenIds } from '../token-ids.ts';
import { callerOf, runModel } from '../run-model.ts';

/** One vector per input. */
export const embed = (c: Context, engine: ServingEngine, body: EmbedRequest): Promise<Response> =>
  vectorsFor(c, engine, body, (options) => ({ kind: 'vector', format: 'json', ...options }));

/** One vector per token of each input, as the model returns it. */
export const embedAll = (c: Context, engine: ServingEngine, body: EmbedAllRequest): Promise<Response> =>
  vectorsFor(c, engine, body, () => ({ kind: 'tokens' }));

async function vectorsFor(
  c: Context,
  engine: ServingEngine,
  body: EmbedRequest,
  viewOf: (options: VectorPlan['options']) => View,
): Promise<Response> {
  checkTokenIds(body.inputs, 'inputs', engine);
  const inputs = embeddingInputs(body.inputs);
  const { options, prompt } = planEmbeddings(inputs, body, engine.manifest);
  const view = viewOf(options);
  const { results } = await runModel(callerOf(c), engine, {
    inputs,
    view,
    prompt,
    overflow: overflowOf(body),
  });
  return jsonAnswer(c, listPieces(results));
}
