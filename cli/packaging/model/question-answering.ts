import { configError } from '#contract/errors.ts';
import type { WindowSettings } from '#contract/manifest.ts';
import { MODEL_TYPES } from '#contract/model-types.ts';
import { writeAnswerLogits } from '../architectures/write-graph.ts';
import { joinAnswerOutputs } from '../onnx/join-answer-outputs.ts';
import type { BuildType, ReadModelRequest } from './build-type.ts';
import { compareAnswers } from './compare.ts';
import { classClue, outputClue } from './evidence.ts';
import { readModelConfig } from './model-config.ts';

/** Defaults of the question answering pipeline in transformers, which reads longer texts in windows. */
const MAX_LENGTH = 384;
const STRIDE = 128;

/** A model that finds the answer to a question in a text. */
export const questionAnsweringBuild: BuildType<'question_answering'> = {
  guess: (evidence) => [
    ...classClue(evidence, 'ForQuestionAnswering'),
    ...outputClue(evidence, 'start_logits'),
  ],
  // Only the context can be split or truncated, because the question must be read as a whole.
  truncatedText: 'second',
  inferOptions: '--question "What is it?"',
  read: async ({ files, config }) => ({
    modelConfig: await readModelConfig(files),
    tokenizer: { limit: (possible, isChosen) => (isChosen ? possible : Math.min(possible, MAX_LENGTH)) },
    withTokenizer: () => ({
      write: writeAnswerLogits,
      rules: {
        joinOutputs: (graph) =>
          config.output === undefined && joinAnswerOutputs(graph, MODEL_TYPES.question_answering.output)
            ? ['Joined the outputs start_logits and end_logits']
            : [],
      },
      withGraph({ width }) {
        checkWidth(width, files.modelConfig ?? files.folder);
        return {
          compare: compareAnswers,
          windows: (maxLength) => answerWindows(config, maxLength),
          facts: () => ({ modelType: 'question_answering' }),
        };
      },
    }),
  }),
};

/** Contexts are always read in windows. @internal Exported for tests only. */
export const answerWindows = (
  { windows }: Pick<ReadModelRequest['config'], 'windows'>,
  maxLength: number,
): WindowSettings => ({ stride: windows?.stride ?? Math.min(Math.floor(maxLength / 2), STRIDE) });

function checkWidth(width: number, file: string): void {
  if (width === 2) return;
  throw configError(
    `The model in ${file} returns ${width} values per token, but question_answering requires two: the start and end scores of the answer. Choose another model_type.`,
  );
}
