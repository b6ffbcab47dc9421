import type { ScoreFunction } from '#contract/score-function.ts';
import { writeTextLogits } from '../architectures/write-graph.ts';
import type { BuildType } from './build-type.ts';
import { compareTextScores } from './compare.ts';
import { classClue, clue } from './evidence.ts';
import { readLabels, requiredConfig, type ModelConfig, readModelConfig } from './model-config.ts';

/** A classifier of texts or text pairs. */
export const sequenceClassificationBuild: BuildType<'sequence_classification'> = {
  guess(evidence) {
    const { architectures, labels, outputs } = evidence;
    const rank = outputs.find(({ name }) => name === 'logits')?.rank;
    // Base models have labels too, so labels only count if no architecture is named.
    const isUnnamed = architectures.length === 0;
    return [
      ...classClue(evidence, 'ForSequenceClassification'),
      ...clue('labels', isUnnamed && labels.length > 0, 'config.json has labels'),
      ...clue('shape', isUnnamed && rank === 2, 'the graph returns logits for each text'),
    ];
  },
  settingsFile: requiredConfig('sequence_classification'),
  async read({ files }) {
    const modelConfig = await readModelConfig(files);
    return {
      modelConfig,
      withTokenizer: () => ({
        write: writeTextLogits,
        rules: {},
        withGraph({ width }) {
          const id2label = readLabels(modelConfig, width, files.modelConfig ?? files.folder);
          const scoreFunction = scoreFunctionOf(modelConfig, width);
          return {
            compare: compareTextScores(width, scoreFunction),
            facts: () => ({
              modelType: 'sequence_classification',
              ...(id2label ? { id2label } : {}),
              scoreFunction,
            }),
          };
        },
      }),
    };
  },
};

/**
 * Returns the score function that transformers' text classification pipeline would choose for this
 * config.json.
 * @internal Exported for tests only.
 */
export function scoreFunctionOf({ problem_type: problem }: ModelConfig, labels: number): ScoreFunction {
  if (problem === 'regression') return 'none';
  return problem === 'multi_label_classification' || labels === 1 ? 'sigmoid' : 'softmax';
}
