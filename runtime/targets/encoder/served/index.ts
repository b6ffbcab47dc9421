import type { ModelType } from '#contract/model-types.ts';
import { servedEmbedding } from './embedding.ts';
import { servedFillMask } from './fill-mask.ts';
import { servedImageClassification } from './image-classification.ts';
import { servedImageEmbedding } from './image-embedding.ts';
import { servedImageSegmentation } from './image-segmentation.ts';
import { servedImageTextEmbedding } from './image-text-embedding.ts';
import { servedMultiVector } from './multi-vector.ts';
import { servedObjectDetection } from './object-detection.ts';
import { servedQuestionAnswering } from './question-answering.ts';
import { servedSentenceEmbedding } from './sentence-embedding.ts';
import { servedSequenceClassification } from './sequence-classification.ts';
import type { ServedType } from './served-type.ts';
import { servedSparseEmbedding } from './sparse-embedding.ts';
import { servedTokenClassification } from './token-classification.ts';
import { servedZeroShotClassification } from './zero-shot-classification.ts';
import { servedZeroShotImageClassification } from './zero-shot-image-classification.ts';
import { servedZeroShotNer } from './zero-shot-ner.ts';

export const SERVED: Readonly<Record<ModelType, ServedType>> = {
  embedding: servedEmbedding,
  sparse_embedding: servedSparseEmbedding,
  fill_mask: servedFillMask,
  sequence_classification: servedSequenceClassification,
  zero_shot_classification: servedZeroShotClassification,
  question_answering: servedQuestionAnswering,
  token_classification: servedTokenClassification,
  zero_shot_ner: servedZeroShotNer,
  sentence_embedding: servedSentenceEmbedding,
  multi_vector: servedMultiVector,
  image_classification: servedImageClassification,
  image_embedding: servedImageEmbedding,
  image_segmentation: servedImageSegmentation,
  object_detection: servedObjectDetection,
  image_text_embedding: servedImageTextEmbedding,
  zero_shot_image_classification: servedZeroShotImageClassification,
};
