import { inputError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { AggregationStrategy } from '../math/entities.ts';
import type { EngineInput, RunModel, ServingEngine, View } from '../engine/serving.ts';
import { overflowOf } from '../schemas/overflow.ts';
import type { PredictRequest } from '../schemas/predict.ts';
import { planAnswers } from '#core/model/answer-plan.ts';
import type { Question } from '../schemas/question-answering.ts';
import { answerQuestions } from './answers.ts';
import { addEntities } from './entities.ts';
import { planLabels } from '#core/model/label-plan.ts';
import { classifyByLabels } from './zero-shot.ts';
import { encodeJson } from '../json/json-writer.ts';
import { targetIds } from '../tasks/masks.ts';
import { filled } from './masks.ts';
import { addTokens } from './tokens.ts';
import { planEntities } from '#core/model/entity-options.ts';
import { planOutputs } from '#core/model/output-plan.ts';
import { planVector } from '#core/model/vector-plan.ts';

/** The response that the contract defines, as JSON pieces: results are never parsed again. */
export async function predict(
  engine: ServingEngine,
  body: PredictRequest,
  run: RunModel,
): Promise<(string | Uint8Array)[]> {
  const results = await (RESULTS_FROM_SEVERAL_RUNS[engine.manifest.modelType] ?? resultsOf)(
    engine,
    body,
    run,
  );
  const list = results.flatMap((result, index) => (index === 0 ? [result] : [',', result]));
  // `metadata: null` is omitted, like missing metadata.
  const rest = JSON.stringify({ model_id: engine.manifest.name, metadata: body.metadata ?? undefined });
  return ['{"results":[', ...list, `],${rest.slice(1)}`];
}

type Results = (
  engine: ServingEngine,
  body: PredictRequest,
  run: RunModel,
) => Promise<readonly (string | Uint8Array)[]>;

const RESULTS_FROM_SEVERAL_RUNS: Partial<Record<ModelType, Results>> = {
  zero_shot_classification: async (engine, body, run) => {
    const plan = planLabels({
      labels: body.candidate_labels ?? [],
      template: body.hypothesis_template,
      multiLabel: body.multi_label,
    });
    const texts = body.inputs.filter((input) => typeof input === 'string');
    const results = await classifyByLabels(engine, { texts, plan, overflow: overflowOf(body) }, run);
    return results.map((result) => JSON.stringify(result));
  },
  question_answering: async (_, body, run) => {
    const plan = planAnswers({
      topK: body.top_k,
      maxLength: body.max_answer_len,
      canBeEmpty: body.handle_impossible_answer,
    });
    const questions = body.inputs.filter(isQuestion);
    const results = await answerQuestions({ questions, plan, overflow: overflowOf(body) }, run);
    return results.map((result) => JSON.stringify(result));
  },
};

/** Results of which each is computed from one input. */
const resultsOf: Results = async (engine, body, run) => {
  const { options: vector, prompt } = planVector(engine.manifest, { ...body, promptName: body.prompt_name });
  const entities = planEntities(engine.manifest, {
    ...body,
    flatNer: body.flat_ner,
    multiLabel: body.multi_label,
  });
  const role = body.input_type;
  const options = {
    ...vector,
    topK: body.top_k ?? undefined,
    targets: await targetIds(engine, body.targets),
    maxActiveDims: body.max_active_dims ?? undefined,
    outputs: planOutputs(engine.manifest, body.outputs),
    role,
    entities,
  };
  const wanted = entitiesWanted(body);
  const view: View = { kind: 'result', format: 'json', options };
  const { results } = await run({
    inputs: body.inputs.filter(isText).map(engineInput),
    view,
    role,
    prompt,
    labels: entities?.labels,
    overflow: overflowOf(body),
  });
  if (wanted) return await addEntities(engine, wanted.texts, results, wanted.strategy);
  if (engine.manifest.mask) return (await filled(engine, results)).map((one) => encodeJson(one));
  return body.tokens ? addTokens(engine, results) : results;
};

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

type Input = PredictRequest['inputs'][number];
const isQuestion = (input: Input): input is Question => typeof input === 'object' && !Array.isArray(input);
const isText = (input: Input): input is string | string[] => !isQuestion(input);

function engineInput(input: string | string[]): EngineInput {
  if (typeof input === 'string') return { text: input };
  const [text = '', pair = ''] = input;
  return { text, pair };
}
