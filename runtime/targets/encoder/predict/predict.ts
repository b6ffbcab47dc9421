import { inputError } from '../../../contract/errors.ts';
import type { AggregationStrategy } from '../maths/entities.ts';
import type { EngineAnswer, EngineInput, EngineRequest, ServingEngine, View } from '../engine/serving.ts';
import { overflowOf } from '../schemas/overflow.ts';
import type { PredictRequest } from '../schemas/predict.ts';
import { planAnswers } from '../../../core/model/answer-plan.ts';
import type { Question } from '../schemas/question-answering.ts';
import { answerQuestions } from './answers.ts';
import { addEntities } from './entities.ts';
import { planLabels } from '../../../core/model/label-plan.ts';
import { classifyByLabels, type ZeroShotResult } from './zero-shot.ts';
import { parseJsonText } from '../../../core/json/json-text.ts';
import { encodeJson } from '../json/json-writer.ts';
import { type FilledText, fillMasks, type MaskedText, targetIds } from '../tasks/masks.ts';
import { addTokens } from './tokens.ts';
import { planEntities } from '../../../core/model/entity-options.ts';
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
  const entities = planEntities(engine.manifest, {
    ...body,
    flatNer: body.flat_ner,
    multiLabel: body.multi_label,
  });
  const role = body.input_type;
  if (engine.manifest.multiVector) refusePairs(body);
  const options = {
    ...vector,
    topK: body.top_k ?? undefined,
    targets: await targetIds(engine, body.targets),
    maxActiveDims: body.max_active_dims ?? undefined,
    role,
    entities,
  };
  if (engine.manifest.modelType === 'zero_shot_classification') {
    const results = await zeroShotResults(engine, body, run);
    return [JSON.stringify({ results, ...restOf(engine, body) })];
  }
  if (engine.manifest.modelType === 'question_answering') {
    const results = await answersOf(body, run);
    return [JSON.stringify({ results, ...restOf(engine, body) })];
  }
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
  let complete = results;
  if (wanted) complete = await addEntities(engine, wanted.texts, results, wanted.strategy);
  if (engine.manifest.mask) complete = (await filled(engine, results)).map((one) => encodeJson(one));
  if (body.tokens) complete = addTokens(engine, results);
  const rest = JSON.stringify(restOf(engine, body));
  const list = complete.flatMap((result, index) => (index === 0 ? [result] : [',', result]));
  return ['{"results":[', ...list, `],${rest.slice(1)}`];
}

/** `metadata: null` is omitted, like missing metadata. */
const restOf = ({ manifest }: ServingEngine, { metadata }: PredictRequest) => ({
  model_id: manifest.name,
  metadata: metadata ?? undefined,
});

/** Completes rendered results of a fill_mask model. */
export const filled = (
  engine: Pick<ServingEngine, 'decode'>,
  results: readonly Uint8Array[],
): Promise<FilledText[]> =>
  fillMasks(
    engine,
    results.map((result) => parseJsonText(Buffer.from(result).toString()) as MaskedText),
  );

const zeroShotResults = (engine: ServingEngine, body: PredictRequest, run: Run): Promise<ZeroShotResult[]> =>
  classifyByLabels(
    engine,
    {
      texts: body.inputs.filter((input) => typeof input === 'string'),
      plan: planLabels({
        labels: body.candidate_labels ?? [],
        template: body.hypothesis_template,
        multiLabel: body.multi_label,
      }),
      overflow: overflowOf(body),
    },
    run,
  );

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

function refusePairs({ inputs }: PredictRequest): void {
  const index = inputs.findIndex((input) => typeof input !== 'string');
  if (index < 0) return;
  throw inputError(`inputs/${index} is a pair, but this model reads single texts. Send two texts.`);
}
type Input = PredictRequest['inputs'][number];
const isQuestion = (input: Input): input is Question => typeof input === 'object' && !Array.isArray(input);
const isText = (input: Input): input is string | string[] => !isQuestion(input);

const answersOf = (body: PredictRequest, run: Run) =>
  answerQuestions(
    {
      questions: body.inputs.filter(isQuestion),
      plan: planAnswers({
        topK: body.top_k,
        maxLength: body.max_answer_len,
        canBeEmpty: body.handle_impossible_answer,
      }),
      overflow: overflowOf(body),
    },
    run,
  );

function engineInput(input: string | string[]): EngineInput {
  if (typeof input === 'string') return { text: input };
  const [text = '', pair = ''] = input;
  return { text, pair };
}
