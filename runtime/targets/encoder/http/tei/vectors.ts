import type { Context } from 'hono';
import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { TEXT_ROLES, type TextRole } from '#contract/multi-vector.ts';
import type { Similarity } from '#contract/sentence.ts';
import { planStage } from '#core/model/stage-plan.ts';
import type { VectorPlan } from '#core/model/vector-plan.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { normalizeL2 } from '../../math/inference.ts';
import type { ServingEngine, View } from '../../engine/serving.ts';
import { engineFor } from '../../engine/staged-engine.ts';
import { readRenderedJson } from '../../json/json.ts';
import { similarityOf } from '../../math/similarity.ts';
import { alignSparse, type ReadVector } from '../../math/sparse.ts';
import { planPrompt } from '../../tasks/plan-prompt.ts';
import { overflowOf } from '../../predict/predict.ts';
import { roleOf } from '../../schemas/roles.ts';
import type {
  EmbedAllRequest,
  EmbedRequest,
  EmbedSparseRequest,
  SimilarityRequest,
} from '../../schemas/tei.ts';
import { requestCaller, jsonAnswer, listPieces, runModel } from '../run-model.ts';
import { checkTokenIds, embeddingInputs, planEmbeddings } from '../vector-inputs.ts';

/** One vector per input. */
export const embed = (c: Context, engine: ServingEngine, body: EmbedRequest): Promise<Response> =>
  vectorsFor(c, engine, body, (options) => ({ kind: 'vector', format: 'json', ...options }));

/** One vector per token of each input, unpooled. */
export const embedAll = (c: Context, engine: ServingEngine, body: EmbedAllRequest): Promise<Response> =>
  vectorsFor(c, engine, body, () => ({ kind: 'tokens' }));

async function vectorsFor(
  c: Context,
  model: ServingEngine,
  body: EmbedRequest,
  viewOf: (options: VectorPlan['options']) => View,
): Promise<Response> {
  const engine = await engineFor(model, body.stage);
  checkTokenIds(body.inputs, 'inputs', engine);
  const inputs = embeddingInputs(body.inputs, engine.manifest);
  const { options, prompt } = await planEmbeddings(inputs, body, engine);
  const view = viewOf(options);
  const { results } = await runModel(requestCaller(c), engine, {
    inputs,
    view,
    prompt,
    overflow: overflowOf(body),
  });
  return jsonAnswer(c, listPieces(results));
}

/** One sparse vector per input: a list of indices with their values. */
export async function embedSparse(
  c: Context,
  engine: ServingEngine,
  body: EmbedSparseRequest,
): Promise<Response> {
  if (planStage(engine.manifest, body.stage) === 'fast') {
    throw inputError('/embed_sparse requires stage "exact", because the static form has no sparse vectors.');
  }
  checkTokenIds(body.inputs, 'inputs', engine);
  const inputs = embeddingInputs(body.inputs, engine.manifest);
  const role = roleOf(body.input_type ?? promptRole(body, engine.manifest), engine.manifest);
  // sparse_embedding models have no prompts, so every prompt is rejected.
  const { prompt_name: name, prompt: text, instruction } = body;
  const prompt_name = promptRole(body, engine.manifest) === undefined ? name : undefined;
  const { prompt } = await planEmbeddings(inputs, { prompt_name, prompt: text, instruction }, engine);
  const options = engine.manifest.tokenOutputs ? { outputs: ['sparse'] as const } : {};
  const { results } = await runModel(requestCaller(c), engine, {
    inputs,
    view: { kind: 'result', format: 'json', options },
    role,
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

/** In sentence-transformers, the names of the default prompts are also those of the two kinds of texts. */
const promptRole = (
  { prompt_name: name }: Pick<EmbedSparseRequest, 'prompt_name'>,
  { sparse }: Manifest,
): TextRole | undefined => (sparse?.queries ? TEXT_ROLES.find((role) => role === name) : undefined);

/** Reads the sparse vector from a rendered result, which is a sparse vector or contains one. */
function readSparse(json: Uint8Array): ReadVector {
  const result = readRenderedJson(json) as ReadVector | { readonly sparse: ReadVector };
  return 'sparse' in result ? result.sparse : result;
}

/** The similarity of each sentence to the source sentence, according to the model's similarity function. */
export async function similarity(
  c: Context,
  model: ServingEngine,
  { inputs: { source_sentence: source, sentences }, parameters }: SimilarityRequest,
): Promise<Response> {
  const engine = await engineFor(model, parameters?.stage);
  const { sparse } = engine.manifest;
  const chosen = sparse?.similarity ?? engine.manifest.sentence?.similarity ?? 'cosine';
  const normalize = chosen === 'cosine' ? true : undefined;
  const { options, prompt } = await planPrompt(engine, { ...parameters, normalize });
  const inputs = embeddingInputs([source, ...sentences], engine.manifest);
  const overflow = overflowOf(parameters ?? {});
  if (sparse) {
    const view = { kind: 'result', format: 'json', options: {} } as const;
    const caller = requestCaller(c);
    const run = async (own: typeof inputs, role?: TextRole) => {
      const { results } = await runModel(caller, engine, { inputs: own, view, overflow, role });
      return results.map(readSparse);
    };
    const [first, ...others] = sparse.queries
      ? [...(await run(inputs.slice(0, 1), 'query')), ...(await run(inputs.slice(1)))]
      : await run(inputs);
    return c.json(others.map((other) => (first ? compareSparse(chosen, first, other) : 0)));
  }
  const { results } = await runModel(requestCaller(c), engine, {
    inputs,
    view: { kind: 'vector', format: 'json', ...options },
    prompt,
    overflow,
  });
  const [first = [], ...others] = results.map(vectorOf);
  return c.json(others.map((other) => rounded(similarityOf(chosen, first, other))));
}

const rounded = (value: number): number => shortestFloat32(Math.fround(value));

function compareSparse(similarity: Similarity, one: ReadVector, other: ReadVector): number {
  const [first, second] = alignSparse(one, other).map((vector) =>
    similarity === 'cosine' ? [...normalizeL2(Float32Array.from(vector))] : vector,
  );
  return rounded(similarityOf(similarity, first ?? [], second ?? []));
}

const vectorOf = (json: Uint8Array): number[] => readRenderedJson(json) as number[];
