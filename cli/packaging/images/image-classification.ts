import { MODEL_TYPES } from '#contract/model-types.ts';
import { writeImageLogits } from '../architectures/write-graph.ts';
import { classClue } from '../model/evidence.ts';
import { compareTextScores } from '../model/compare.ts';
import { type ModelConfig, readLabels, requiredConfig } from '../model/model-config.ts';
import { scoreFunctionOf } from '../model/sequence-classification.ts';
import type { ScoreFunction } from '#contract/score-function.ts';
import type { ImageBuildType } from './image-build-type.ts';
import type { PreparedImageGraph } from './prepare-image-graph.ts';

/** Build rules for classifiers of images. */
export const imageClassificationBuild: ImageBuildType<'image_classification'> = {
  // DeiT models that are distilled have two heads.
  guess: (evidence) =>
    ['ForImageClassification', 'ForImageClassificationWithTeacher'].flatMap((ending) =>
      classClue(evidence, ending),
    ),
  settingsFile: requiredConfig('image_classification'),
  write: (_, size) => writeImageLogits(size),
  outputs: () => [{ name: 'logits', shape: MODEL_TYPES.image_classification.shape }],
  compare: ({ modelConfig, width, scores }) =>
    compareTextScores(width, scoreFunction(modelConfig, width, scores)),
  facts({ files, modelConfig, images, width, scores }) {
    const id2label = readLabels(modelConfig, width, files.modelConfig ?? files.folder);
    return {
      modelType: 'image_classification',
      ...(id2label ? { id2label } : {}),
      scoreFunction: scoreFunction(modelConfig, width, scores),
      images,
    };
  },
};

/** Graphs that end in an operator for scores return scores. */
const scoreFunction = (
  config: ModelConfig,
  width: number,
  scores: PreparedImageGraph['scores'],
): ScoreFunction => (scores === undefined ? scoreFunctionOf(config, width) : 'none');
