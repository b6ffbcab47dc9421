import type { ImageModelType, ModelType, TextModelType } from '#contract/model-types.ts';
import type { ImageBuildType } from '../images/image-build-type.ts';
import { imageClassificationBuild } from '../images/image-classification.ts';
import { imageEmbeddingBuild } from '../images/image-embedding.ts';
import { imageSegmentationBuild } from '../images/image-segmentation.ts';
import { objectDetectionBuild } from '../images/object-detection.ts';
import type { BuildType, GuessedType } from './build-type.ts';
import { embeddingBuild } from './embedding.ts';
import { fillMaskBuild } from './fill-mask.ts';
import { imageTextEmbeddingBuild } from './image-text-embedding.ts';
import { multiVectorBuild } from './multi-vector.ts';
import { questionAnsweringBuild } from './question-answering.ts';
import { sentenceEmbeddingBuild } from './sentence-embedding.ts';
import { sequenceClassificationBuild } from './sequence-classification.ts';
import { sparseEmbeddingBuild } from './sparse-embedding.ts';
import { tokenClassificationBuild } from './token-classification.ts';
import { zeroShotClassificationBuild } from './zero-shot-classification.ts';
import { zeroShotImageClassificationBuild } from './zero-shot-image-classification.ts';
import { zeroShotNerBuild } from './zero-shot-ner.ts';

/** Model types that read texts, alone or with images. */
export const BUILD_TYPES: { readonly [Type in TextModelType]: BuildType<Type> } = {
  token_classification: tokenClassificationBuild,
  zero_shot_classification: zeroShotClassificationBuild,
  sequence_classification: sequenceClassificationBuild,
  question_answering: questionAnsweringBuild,
  zero_shot_ner: zeroShotNerBuild,
  sparse_embedding: sparseEmbeddingBuild,
  sentence_embedding: sentenceEmbeddingBuild,
  multi_vector: multiVectorBuild,
  fill_mask: fillMaskBuild,
  embedding: embeddingBuild,
  image_text_embedding: imageTextEmbeddingBuild,
  zero_shot_image_classification: zeroShotImageClassificationBuild,
};

/** Model types that read only images. */
export const IMAGE_BUILD_TYPES: { readonly [Type in ImageModelType]: ImageBuildType<Type> } = {
  image_classification: imageClassificationBuild,
  image_embedding: imageEmbeddingBuild,
  image_segmentation: imageSegmentationBuild,
  object_detection: objectDetectionBuild,
};

/** All model types. If clues are equally certain, the first type is guessed. */
export const GUESSED_TYPES: Readonly<Record<ModelType, GuessedType>> = {
  ...IMAGE_BUILD_TYPES,
  ...BUILD_TYPES,
};
