import { BOX_VALUES, noObjectLogits } from '#contract/detection.ts';
import { configError } from '#contract/errors.ts';
import { MODEL_TYPES } from '#contract/model-types.ts';
import { writeDetections } from '../architectures/write-graph.ts';
import { classClue } from '../model/evidence.ts';
import { readLabels, requiredConfig } from '../model/model-config.ts';
import { joinOutputs } from '../onnx/join-outputs.ts';
import type { ImageBuildType } from './image-build-type.ts';

const { output: name, shape } = MODEL_TYPES.object_detection;

/** Build rules for models that find objects in images. */
export const objectDetectionBuild: ImageBuildType<'object_detection'> = {
  guess: (evidence) => classClue(evidence, 'ForObjectDetection'),
  settingsFile: requiredConfig('object_detection'),
  readsAnySize: true,
  write: (_, size) => writeDetections(size),
  adaptGraph: (graph, file) => joinOutputs(graph, ['logits', 'pred_boxes'], name, file),
  outputs: () => [{ name, shape }],
  facts({ config, files, modelConfig, images, processor: { name: processor, detection }, width }) {
    if (!detection) {
      throw configError(
        `${files.folder} names ${processor}, which does not state how objects are found. Use the preprocessor_config.json of the detection model.`,
      );
    }
    const labels = width - BOX_VALUES - noObjectLogits(detection);
    const id2label = readLabels(modelConfig, labels, files.modelConfig ?? files.folder);
    const { threshold } = config.typeFields;
    return {
      modelType: 'object_detection',
      ...(id2label ? { id2label } : {}),
      detection: { ...detection, ...(threshold === undefined ? {} : { threshold }) },
      images,
    };
  },
};
