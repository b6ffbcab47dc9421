import type { Context } from 'hono';
import { parseJsonText } from '#core/json/json-text.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import type { Similarity } from '#contract/sentence.ts';
import { planVector } from '#core/model/vector-plan.ts';
import type { ServingEngine } from '../../engine/serving.ts';
import { similarityOf } from '../../math/similarity.ts';
import { alignSparse } from '../../math/sparse.ts';
import { normalizeL2 } from '#core/vectors/vectors.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { SimilarityRequest } from '../../schemas/tei.ts';
import { callerOf, runModel } from '../run-model.ts';
import { readSparse } from './embed-sparse.ts';

/** The similarity of each sentence to the source sentence, by the function of the model. */
export async function similarity(
  c: Context,
  engine: ServingEngine,
  { inputs: { source_sentence: source, sentences }, parameters }: SimilarityRequest,
): Promise<Response> {
  const promptName = parameters?.prompt_name;
  const { sparse } = engine.manifest;
  const chosen = sparse?.similarity ?? engine.manifest.sentence?.similarity ?? 'cosine';
  const normalize = chosen === 'cosine' ? true : undefined;
  const { options, prompt } = planVector(engine.manifest, { normalize, promptName });
  const inputs = [source, ...sentences].map((text) => ({ text }));
  const overflow = overflowOf(parameters ?? {});
  if (sparse) {
    const view = { kind: 'result', format: 'json', options: {} } as const;
    const { results } = await runModel(callerOf(c), engine, { inputs, view, overflow });
    const [first, ...others] = results.map(readSparse);
    return c.json(others.map((other) => (first ? compareSparse(chosen, first, other) : 0)));
  }
  const { results } = await runModel(callerOf(c), engine, {
    inputs,
    view: { kind: 'vector', format: 'json', ...options },
    prompt,
    overflow,
  });
  const [first = [], ...others] = results.map(vectorOf);
  return c.json(others.map((other) => rounded(similarityOf(chosen, first, other))));
}

const rounded = (value: number): number => shortestFloat32(Math.fround(value));

type Sparse = ReturnType<typeof readSparse>;

function compareSparse(similarity: Similarity, one: Sparse, other: Sparse): number {
  const [first, second] = alignSparse(one, other).map((vector) =>
    similarity === 'cosine' ? [...normalizeL2(Float32Array.from(vector))] : vector,
  );
  return rounded(similarityOf(similarity, first ?? [], second ?? []));
}

const vectorOf = (json: Uint8Array): number[] => parseJsonText(Buffer.from(json).toString()) as number[];
