import { writeTokenLogits } from '../architectures/write-graph.ts';
import type { BuildType } from './build-type.ts';
import { compareTokenScores } from './compare.ts';
import { classClue, clue } from './evidence.ts';
import { requiredConfig, requireLabels, readModelConfig } from './model-config.ts';

/** A classifier of tokens. */
export const tokenClassificationBuild: BuildType<'token_classification'> = {
  guess: (evidence) => [
    ...classClue(evidence, 'ForTokenClassification'),
    ...clue(
      'labels',
      evidence.architectures.length === 0 && evidence.labels.some((label) => /^[BI]-/.test(label)),
      'config.json has token labels',
    ),
  ],
  settingsFile: requiredConfig('token_classification'),
  async read({ files }) {
    const modelConfig = await readModelConfig(files);
    return {
      modelConfig,
      withTokenizer: () => ({
        write: writeTokenLogits,
        rules: {},
        withGraph({ width }) {
          const file = files.modelConfig ?? files.folder;
          const id2label = requireLabels(modelConfig, width, file, 'token_classification');
          return {
            compare: compareTokenScores(width),
            facts: () => ({ modelType: 'token_classification', id2label }),
          };
        },
      }),
    };
  },
};
