import { vectorWidth } from '#core/model/vector-width.ts';
import { configError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { EmbeddingOutput } from '#contract/embedding-outputs.ts';
import { TEXT_ROLES, type TextRole } from '#contract/multi-vector.ts';
import type { Invocation } from '#serve/cli/command.ts';
import { wholeNumber } from '#serve/cli/values.ts';
import { planOutputs } from '#core/model/output-plan.ts';
import { planVector } from '#core/model/vector-plan.ts';
import { type LabelPlan, planLabels } from '#core/model/label-plan.ts';
import { MAX_ANSWERS, planAnswers } from '#core/model/answer-plan.ts';
import { entityOptions } from './entity-flags.ts';
import { labelsIn } from './labels.ts';
import type { PrintOptions } from '../tasks/task.ts';

const ZERO_SHOT = { types: ['zero_shot_classification'], called: 'a zero_shot_classification' } as const;
const ENTITIES = { types: ['zero_shot_ner'], called: 'a zero_shot_ner' } as const;
const LABELS = {
  types: ['zero_shot_classification', 'zero_shot_ner'],
  called: 'a zero_shot_classification or zero_shot_ner',
} as const;
const QUESTIONS = { types: ['question_answering'], called: 'a question_answering' } as const;

const SPARSE = { types: ['sparse_embedding', 'sentence_embedding'], called: 'a sparse_embedding' } as const;

/** Flags of some model types: the model types that support them, and what error messages call these models. */
const FLAGS: Readonly<Record<string, { readonly types: readonly ModelType[]; readonly called: string }>> = {
  normalize: { types: ['embedding', 'sentence_embedding', 'multi_vector'], called: 'an embedding' },
  pooling: { types: ['embedding'], called: 'an embedding' },
  dimensions: { types: ['sentence_embedding'], called: 'a sentence_embedding' },
  'max-active-dims': SPARSE,
  tokens: SPARSE,
  outputs: { types: ['sentence_embedding'], called: 'a sentence_embedding' },
  'prompt-name': { types: ['sentence_embedding'], called: 'a sentence_embedding' },
  'input-type': { types: ['multi_vector'], called: 'a multi_vector' },
  labels: LABELS,
  label: LABELS,
  'hypothesis-template': ZERO_SHOT,
  'multi-label': LABELS,
  question: QUESTIONS,
  'top-k': {
    types: ['fill_mask', 'question_answering'],
    called: 'a fill_mask or question_answering',
  },
  'max-answer-len': QUESTIONS,
  'handle-impossible-answer': QUESTIONS,
  threshold: ENTITIES,
  'flat-ner': ENTITIES,
};

const MAX_COUNT = 1_000_000_000;

/** Reads the options for printing results from the flags and the settings of the model. */
export function printOptions(invocation: Invocation, manifest: Manifest): PrintOptions {
  const { modelType } = manifest;
  for (const [flag, { types, called }] of Object.entries(FLAGS)) {
    if (invocation.value(flag) === undefined || types.includes(modelType)) continue;
    throw configError(
      `--${flag} requires ${called} model; this model is of type ${modelType}. Remove the flag.`,
    );
  }
  const normalize = invocation.value('normalize');
  const wishes = {
    normalize: normalize === undefined ? undefined : normalize === 'true',
    dimensions: wholeNumber(invocation, 'dimensions', { min: 1, max: vectorWidth(manifest) }),
    promptName: invocation.value('prompt-name'),
  };
  const { options, prompt } = planVector(manifest, wishes, '--prompt-name');
  const role = roleIn(invocation);
  if (manifest.multiVector && role === undefined) {
    throw configError(
      '--input-type is missing: queries and documents of a multi_vector model have different vectors. Pass --input-type query or document.',
    );
  }
  const maxActiveDims = wholeNumber(invocation, 'max-active-dims', { min: 1, max: MAX_COUNT });
  const tokens = invocation.flag('tokens');
  const outputs = planOutputs(manifest, namesIn(invocation.value('outputs')), '--outputs');
  refuseSparse(invocation, manifest, outputs);
  const topK = wholeNumber(invocation, 'top-k', { min: 1, max: MAX_COUNT });
  return {
    ...options,
    prompt,
    role,
    maxActiveDims,
    tokens,
    outputs,
    topK,
    pooling: invocation.value('pooling') === 'none' ? 'none' : 'mean',
    zeroShot: modelType === 'zero_shot_classification' ? labelPlan(invocation) : undefined,
    questions: modelType === 'question_answering' ? questions(invocation) : undefined,
    entities: entityOptions(invocation, manifest),
  };
}

/** Names that are separated by commas. */
const namesIn = (text: string | undefined): string[] | undefined =>
  text?.split(',').map((name) => name.trim());

/** Flags of sparse vectors have no effect on results without one. */
function refuseSparse(
  invocation: Invocation,
  { modelType }: Manifest,
  outputs: readonly EmbeddingOutput[] = [],
): void {
  if (modelType !== 'sentence_embedding' || outputs.includes('sparse')) return;
  for (const flag of ['max-active-dims', 'tokens']) {
    if (invocation.value(flag) === undefined) continue;
    throw configError(
      `--${flag} requires a sparse vector, which a sentence_embedding model only returns with --outputs sparse. Pass it, or remove the flag.`,
    );
  }
}

function questions(invocation: Invocation): NonNullable<PrintOptions['questions']> {
  const question = invocation.value('question');
  if (question === undefined) throw configError('--question is missing. Pass the question about each text.');
  const range = { min: 1, max: MAX_ANSWERS };
  const plan = planAnswers({
    topK: wholeNumber(invocation, 'top-k', range),
    maxLength: wholeNumber(invocation, 'max-answer-len', range),
    canBeEmpty: invocation.flag('handle-impossible-answer'),
  });
  return { question, plan };
}

function labelPlan(invocation: Invocation): LabelPlan {
  return planLabels(
    {
      labels: labelsIn(invocation),
      template: invocation.value('hypothesis-template'),
      multiLabel: invocation.flag('multi-label'),
    },
    { labels: '--labels', template: '--hypothesis-template' },
  );
}

/** What the texts are, as the flag states it. */
export const roleIn = (invocation: Invocation): TextRole | undefined =>
  TEXT_ROLES.find((role) => role === invocation.value('input-type'));
