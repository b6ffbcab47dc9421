import type { ModelType } from '#contract/model-types.ts';
import { embeddingTask } from './embedding.ts';
import { imageClassificationTask } from './image-classification.ts';
import { imageEmbeddingTask } from './image-embedding.ts';
import { imageSegmentationTask } from './image-segmentation.ts';
import { imageTextEmbeddingTask } from './image-text-embedding.ts';
import { multiVectorTask } from './multi-vector.ts';
import { objectDetectionTask } from './object-detection.ts';
import { questionAnsweringTask } from './question-answering.ts';
import { sentenceEmbeddingTask } from './sentence-embedding.ts';
import { sparseEmbeddingTask } from './sparse-embedding.ts';
import { fillMaskTask } from './fill-mask.ts';
import { sequenceClassificationTask } from './sequence-classification.ts';
import type { Task } from './task.ts';
import { tokenClassificationTask } from './token-classification.ts';
import { zeroShotClassificationTask } from './zero-shot-classification.ts';
import { zeroShotImageClassificationTask } from './zero-shot-image-classification.ts';
import { zeroShotNerTask } from './zero-shot-ner.ts';

/** The tasks by model type. Help lists their flags in this order. */
export const TASKS: Record<ModelType, Task<unknown>> = {
  sentence_embedding: sentenceEmbeddingTask,
  multi_vector: multiVectorTask,
  embedding: embeddingTask,
  sparse_embedding: sparseEmbeddingTask,
  zero_shot_classification: zeroShotClassificationTask,
  zero_shot_ner: zeroShotNerTask,
  question_answering: questionAnsweringTask,
  fill_mask: fillMaskTask,
  token_classification: tokenClassificationTask,
  sequence_classification: sequenceClassificationTask,
  image_classification: imageClassificationTask,
  image_embedding: imageEmbeddingTask,
  image_segmentation: imageSegmentationTask,
  object_detection: objectDetectionTask,
  image_text_embedding: imageTextEmbeddingTask,
  zero_shot_image_classification: zeroShotImageClassificationTask,
};
