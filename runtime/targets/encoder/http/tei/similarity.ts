import type { Context } from 'hono';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import { shortestFloat32 } from '../../../../core/numbers/float32.ts';
import { planVector } from '../../../../core/model/vector-plan.ts';
import type { ServingEngine } from '../../engine/serving.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { SimilarityRequest } from '../../schemas/tei.ts';
import { runModel } from '../run-model.ts';

/** The cosine similarity of each sentence to the source sentence. */
export async function similarity(
  c: Context,
  engine: ServingEngine,
  { inputs: { source_sentence: source, sentences }, parameters }: SimilarityRequest,
): Promise<Response> {
  const promptName = parameters?.prompt_name;
  const { options, prompt } = planVector(engine.manifest, { normalize: true, promptName });
  const { results } = await runModel(c, engine, {
    inputs: [source, ...sentences].map((text) => ({ text })),
    view: { kind: 'vector', format: 'json', ...options },
    prompt,
    overflow: overflowOf(parameters ?? {}),
  });
  const [first = [], ...others] = results.map(vectorOf);
  return c.json(others.map((other) => shortestFloat32(Math.fround(dot(first, other)))));
}

const vectorOf = (json: Uint8Array): number[] => parseJsonText(Buffer.from(json).toString()) as number[];

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
