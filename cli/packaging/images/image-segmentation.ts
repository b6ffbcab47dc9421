import { configError } from '#contract/errors.ts';
import { MODEL_TYPES } from '#contract/model-types.ts';
import { writePixelLogits } from '../architectures/write-graph.ts';
import { classClue } from '../model/evidence.ts';
import { type ModelConfig, readLabels, requiredConfig } from '../model/model-config.ts';
import type { ImageBuildType } from './image-build-type.ts';

/** Build rules for models that return the label of each pixel. */
export const imageSegmentationBuild: ImageBuildType<'image_segmentation'> = {
  // Also of models with another head, which are rejected with a sentence about them.
  guess: (evidence) => classClue(evidence, 'Segmentation'),
  settingsFile: requiredConfig('image_segmentation'),
  write({ modelConfig }, size) {
    refuseOtherHeads(modelConfig);
    return writePixelLogits(size);
  },
  outputs({ modelConfig }) {
    refuseOtherHeads(modelConfig);
    return [{ name: 'logits', shape: MODEL_TYPES.image_segmentation.shape }];
  },
  facts({ files, modelConfig, images, output, width }) {
    if (width < 2) {
      throw configError(
        `Output \`${output.name}\` of ${files.weights} has one label, so that all pixels would have it. image_segmentation requires a model with at least two labels.`,
      );
    }
    const id2label = readLabels(modelConfig, width, files.modelConfig ?? files.folder);
    return { modelType: 'image_segmentation', ...(id2label ? { id2label } : {}), images };
  },
};

/** Rejects models such as MaskFormer, which return masks of objects. */
function refuseOtherHeads({ architectures }: ModelConfig): void {
  const names = Array.isArray(architectures) ? architectures : [];
  const other = names.find((name) => typeof name === 'string' && /(?<!ForSemantic)Segmentation$/.test(name));
  if (other === undefined) return;
  throw configError(
    `config.json names ${other}, which does not return the scores of each label for each pixel. Choose a model whose class ends in ForSemanticSegmentation, such as SegFormer.`,
  );
}
