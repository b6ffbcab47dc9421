import type { Context } from 'hono';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import { planVector } from '../../../../core/model/vector-plan.ts';
import type { ServingEngine } from '../../engine/serving.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { EmbedSparseRequest } from '../../schemas/tei.ts';
import { embeddingInputs } from '../embedding-inputs.ts';
import { runModel } from '../run-model.ts';
import { checkTokenIds } from '../token-ids.ts';

/** One sparse vector per input: a list of indices with their values. */
export async function embedSparse(
  c: Context,
  engine: ServingEngine,
  body: EmbedSparseRequest,
): Promise<Response> {
  checkTokenIds(body.inputs, 'inputs', engine);
  // Refuses a prompt, because these models have none.
  planVector(engine.manifest, { promptName: body.prompt_name });
  const { results } = await runModel(c, engine, {
    inputs: embeddingInputs(body.inputs),
    view: { kind: 'result', format: 'json', options: {} },
    overflow: overflowOf(body),
  });
  return c.json(
    results.map((result) => {
      const { indices, values } = readSparse(result);
      return indices.map((index, at) => ({ index, value: values[at] }));
    }),
  );
}

/** Reads a rendered result of a sparse_embedding model. */
export const readSparse = (json: Uint8Array) =>
  parseJsonText(Buffer.from(json).toString()) as {
    readonly indices: readonly number[];
    readonly values: readonly number[];
  };
