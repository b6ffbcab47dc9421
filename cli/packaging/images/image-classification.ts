import { MODEL_TYPES } from '#contract/model-types.ts';
import { writeImageLogits } from '../architectures/write-graph.ts';
import { classClue } from '../model/evidence.ts';
import { readLabels, requiredConfig } from '../model/model-config.ts';
import { scoreFunctionOf } from '../model/sequence-classification.ts';
import type { ImageBuildType } from './image-build-type.ts';

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
  facts({ files, modelConfig, images, width, scores }) {
    const id2label = readLabels(modelConfig, width, files.modelConfig ?? files.folder);
    return {
      modelType: 'image_classification',
      ...(id2label ? { id2label } : {}),
      scoreFunction: scores === undefined ? scoreFunctionOf(modelConfig, width) : 'none',
      images,
    };
  },
};
