import type { Context } from 'hono';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import { shortestFloat32 } from '../../../../core/numbers/float32.ts';
import { planVector } from '../../../../core/model/vector-plan.ts';
import type { ServingEngine } from '../../engine/serving.ts';
import { similarityOf } from '../../maths/similarity.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { SimilarityRequest } from '../../schemas/tei.ts';
import { runModel } from '../run-model.ts';

/** The similarity of each sentence to the source sentence, by the function of the model. */
export async function similarity(
  c: Context,
  engine: ServingEngine,
  { inputs: { source_sentence: source, sentences }, parameters }: SimilarityRequest,
): Promise<Response> {
  const promptName = parameters?.prompt_name;
  const chosen = engine.manifest.sentence?.similarity ?? 'cosine';
  const normalize = chosen === 'cosine' ? true : undefined;
  const { options, prompt } = planVector(engine.manifest, { normalize, promptName });
  const { results } = await runModel(c, engine, {
    inputs: [source, ...sentences].map((text) => ({ text })),
    view: { kind: 'vector', format: 'json', ...options },
    prompt,
    overflow: overflowOf(parameters ?? {}),
  });
  const [first = [], ...others] = results.map(vectorOf);
  return c.json(others.map((other) => shortestFloat32(Math.fround(similarityOf(chosen, first, other)))));
}

const vectorOf = (json: Uint8Array): number[] => parseJsonText(Buffer.from(json).toString()) as number[];
