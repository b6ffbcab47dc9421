import { MODEL_TYPES } from '#contract/model-types.ts';
import type { Pooling } from '#contract/sentence.ts';
import { writeImageStates, writeImageVectors } from '../architectures/write-graph.ts';
import { clue, hasHead } from '../model/evidence.ts';
import { PER_TEXT } from '../onnx/select-output.ts';
import { findProcessor } from './find-processor.ts';
import { compareTextVectors } from '../model/compare.ts';
import type { ImageBuildType, ReadImageModel } from './image-build-type.ts';
import { IMAGE_VECTORS } from './image-vectors.ts';
import type { PreparedImageGraph } from './prepare-image-graph.ts';
import { hasTowers } from './towers.ts';
import { vectorSettings } from './vector-settings.ts';

/** Build rules for models that return one vector per image. */
export const imageEmbeddingBuild: ImageBuildType<'image_embedding'> = {
  guess: (evidence) =>
    clue(
      'file',
      findProcessor(evidence.folder) !== undefined && !hasHead(evidence) && !hasTowers(evidence),
      'it has settings for images and no head',
    ),
  write: ({ config }, size) =>
    isPooled(config.typeFields.pooling) ? writeImageVectors(size) : writeImageStates(size),
  outputs: ({ config }) =>
    isPooled(config.typeFields.pooling) ? [...IMAGE_VECTORS, PATCH_VECTORS] : [PATCH_VECTORS],
  compare: (model) => compareTextVectors(model.width, poolingOf(model)),
  facts: (model) => ({
    modelType: 'image_embedding',
    images: model.images,
    sentence: vectorSettings(model.config, poolingOf(model), model.width),
  }),
};

/** How the vectors of patches become one vector. */
const poolingOf = ({
  config: { typeFields },
  output,
}: Pick<ReadImageModel, 'config'> & Pick<PreparedImageGraph, 'output'>): Pooling =>
  output.shape.length === PER_TEXT.length ? 'none' : (typeFields.pooling ?? 'cls');

/** Whether the graph returns the vector that the model's own code computes. */
const isPooled = (pooling: Pooling | undefined): boolean => pooling === undefined || pooling === 'none';

const { output: name, shape } = MODEL_TYPES.image_embedding;
const PATCH_VECTORS = { name, shape };
