import type { Context } from 'hono';
import { parseJsonText } from '#core/json/json-text.ts';
import type { ServingEngine } from '../../engine/serving.ts';
import type { ReadVector } from '../../math/sparse.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { EmbedSparseRequest } from '../../schemas/tei.ts';
import { embeddingInputs, planEmbeddings } from '../embedding-inputs.ts';
import { callerOf, runModel } from '../run-model.ts';
import { checkTokenIds } from '../token-ids.ts';

/** One sparse vector per input: a list of indices with their values. */
export async function embedSparse(
  c: Context,
  engine: ServingEngine,
  body: EmbedSparseRequest,
): Promise<Response> {
  checkTokenIds(body.inputs, 'inputs', engine);
  const inputs = embeddingInputs(body.inputs);
  // Models of type sparse_embedding have no prompts, so that each is refused.
  const { prompt } = planEmbeddings(inputs, { prompt_name: body.prompt_name }, engine.manifest);
  const options = engine.manifest.tokenOutputs ? { outputs: ['sparse'] as const } : {};
  const { results } = await runModel(callerOf(c), engine, {
    inputs,
    view: { kind: 'result', format: 'json', options },
    prompt,
    overflow: overflowOf(body),
  });
  return c.json(
    results.map((result) => {
      const { indices, values } = readSparse(result);
      return indices.map((index, at) => ({ index, value: values[at] }));
    }),
  );
}

/** Reads the sparse vector of a rendered result, which it is or has. */
export function readSparse(json: Uint8Array): ReadVector {
  const result = parseJsonText(Buffer.from(json).toString()) as ReadVector | { readonly sparse: ReadVector };
  return 'sparse' in result ? result.sparse : result;
}
