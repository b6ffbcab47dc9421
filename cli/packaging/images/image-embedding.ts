import { configError } from '#contract/errors.ts';
import { MODEL_TYPES } from '#contract/model-types.ts';
import type { Pooling } from '#contract/sentence.ts';
import { pooledWidth } from '#core/model/vector-width.ts';
import { writeImageStates, writeImageVectors } from '../architectures/write-graph.ts';
import { clue } from '../model/evidence.ts';
import { PER_TEXT } from '../onnx/select-output.ts';
import { findProcessor } from './find-processor.ts';
import { compareTextVectors } from '../model/compare.ts';
import type { ImageBuildType, PreparedImageGraph, ReadImageModel } from './image-build-type.ts';

/** Build rules for models that return one vector per image. */
export const imageEmbeddingBuild: ImageBuildType<'image_embedding'> = {
  guess: ({ folder, architectures }) =>
    clue(
      'file',
      findProcessor(folder) !== undefined && !architectures.some((name) => /For[A-Z]/.test(name)),
      'it has settings for images and no head',
    ),
  write: ({ config }, size) =>
    isPooled(config.typeFields.pooling) ? writeImageVectors(size) : writeImageStates(size),
  outputs: ({ config }) =>
    isPooled(config.typeFields.pooling) ? [...IMAGE_VECTORS, PATCH_VECTORS] : [PATCH_VECTORS],
  compare: (model) => compareTextVectors(model.width, poolingOf(model)),
  facts(model) {
    const {
      config: { file, typeFields },
      images,
      width,
    } = model;
    const pooling = poolingOf(model);
    const { normalize = false, dimensions, similarity_fn_name: similarity } = typeFields;
    const full = pooledWidth(pooling, width);
    if (dimensions !== undefined && dimensions > full) {
      throw configError(
        `${file}: \`dimensions\` is ${dimensions}, but the model's vectors have only ${full}.`,
      );
    }
    return {
      modelType: 'image_embedding',
      images,
      sentence: {
        pooling,
        includePrompt: true,
        normalize,
        ...(dimensions === undefined ? {} : { dimensions }),
        ...(similarity === undefined || similarity === 'cosine' ? {} : { similarity }),
        prompts: {},
      },
    };
  },
};

/** How the vectors of patches become one vector. */
const poolingOf = ({
  config: { typeFields },
  output,
}: Pick<ReadImageModel, 'config'> & Pick<PreparedImageGraph, 'output'>): Pooling =>
  output.shape.length === PER_TEXT.length ? 'none' : (typeFields.pooling ?? 'cls');

/** Whether the graph returns the vector that the model's own code computes. */
const isPooled = (pooling: Pooling | undefined): boolean => pooling === undefined || pooling === 'none';

/** The names of outputs with one vector per image. */
const IMAGE_VECTORS = ['image_embeds', 'image_embeddings', 'pooler_output'].map((name) => ({
  name,
  shape: ['batch_size', 'hidden_size'],
}));

const { output: name, shape } = MODEL_TYPES.image_embedding;
const PATCH_VECTORS = { name, shape };
