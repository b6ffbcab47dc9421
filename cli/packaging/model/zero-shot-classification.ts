import { configError } from '#contract/errors.ts';
import { areInferenceLabels, findEntailment } from '#core/model/entailment.ts';
import { writeTextLogits } from '../architectures/write-graph.ts';
import type { BuildType } from './build-type.ts';
import { compareTextScores } from './compare.ts';
import { classClue } from './evidence.ts';
import { requiredConfig, requireLabels, readModelConfig } from './model-config.ts';

/** A natural language inference model, which scores labels from the request. */
export const zeroShotClassificationBuild: BuildType<'zero_shot_classification'> = {
  guess(evidence) {
    const { labels } = evidence;
    if (!areInferenceLabels(labels)) return [];
    return classClue(evidence, 'ForSequenceClassification').map(({ certainty, because }) => ({
      certainty,
      because: `${because} with the labels ${labels.join(', ')}`,
    }));
  },
  alternative: {
    type: 'sequence_classification',
    sentence: 'Requests set the labels',
    phrase: 'requests set the labels',
    returns: 'the labels in config.json',
  },
  settingsFile: requiredConfig('zero_shot_classification'),
  // The sentence about a label must be read as a whole.
  truncatedText: 'first',
  inferOptions: '--labels "one,another"',
  async read({ files }) {
    const modelConfig = await readModelConfig(files);
    const file = files.modelConfig ?? files.folder;
    return {
      modelConfig,
      withTokenizer: () => ({
        write: writeTextLogits,
        rules: {},
        withGraph({ width }) {
          const id2label = requireLabels(modelConfig, width, file, 'zero_shot_classification');
          checkEntailment(id2label, file);
          return {
            compare: compareTextScores(width),
            facts: () => ({ modelType: 'zero_shot_classification', id2label }),
          };
        },
      }),
    };
  },
};

function checkEntailment(id2label: Readonly<Record<string, string>>, file: string): void {
  const labels = Object.values(id2label);
  if (labels.length > 1 && findEntailment(id2label) !== undefined) return;
  throw configError(
    `${file} has the ${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}, but zero_shot_classification requires several labels, one of which starts with "entail". Use a model for natural language inference, or set \`model_type: sequence_classification\`.`,
  );
}
