import { inputError } from '../../../contract/errors.ts';
import type { AggregationStrategy } from '../maths/entities.ts';
import type { EngineAnswer, EngineInput, EngineRequest, ServingEngine, View } from '../engine/serving.ts';
import { overflowOf } from '../schemas/overflow.ts';
import type { PredictRequest } from '../schemas/predict.ts';
import { addEntities } from './entities.ts';
import { planVector } from '../../../core/model/vector-plan.ts';

/** Runs the model. Each transport adds what it knows about the caller. */
type Run = (request: Omit<EngineRequest, 'signal'>) => Promise<EngineAnswer>;

/** The response that the contract defines, as JSON pieces: results are never parsed again. */
export async function predict(
  engine: ServingEngine,
  body: PredictRequest,
  run: Run,
): Promise<(string | Uint8Array)[]> {
  const { options: vector, prompt } = planVector(engine.manifest, { ...body, promptName: body.prompt_name });
  const options = { ...vector, topK: body.top_k ?? undefined };
  const wanted = entitiesWanted(body);
  const view: View = { kind: 'result', format: 'json', options };
  const { results } = await run({
    inputs: body.inputs.map(engineInput),
    view,
    prompt,
    overflow: overflowOf(body),
  });
  const complete = wanted ? await addEntities(engine, wanted.texts, results, wanted.strategy) : results;
  // `metadata: null` is omitted, like missing metadata.
  const rest = JSON.stringify({ model_id: engine.manifest.name, metadata: body.metadata ?? undefined });
  const list = complete.flatMap((result, index) => (index === 0 ? [result] : [',', result]));
  return ['{"results":[', ...list, `],${rest.slice(1)}`];
}

/** Returns the texts to find entities in, if aggregation is requested. */
function entitiesWanted({
  inputs,
  aggregation,
}: PredictRequest): { texts: string[]; strategy: AggregationStrategy } | undefined {
  if (!aggregation || aggregation === 'none') return undefined;
  const texts = inputs.filter((input) => typeof input === 'string');
  if (texts.length === inputs.length) return { texts, strategy: aggregation };
  const index = inputs.findIndex((input) => typeof input !== 'string');
  throw inputError(
    `inputs/${index} is a pair, but aggregation requires single texts. Send pairs without aggregation.`,
  );
}

function engineInput(input: string | string[]): EngineInput {
  if (typeof input === 'string') return { text: input };
  const [text = '', pair = ''] = input;
  return { text, pair };
}
