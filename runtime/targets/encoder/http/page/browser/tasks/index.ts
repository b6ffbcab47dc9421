import type { Model, Task } from './task.ts';
import { embedding, sentenceEmbedding, embeddingOutputs } from './embedding.ts';
import { multiVector, reranking } from './reranking.ts';
import { questionAnswering } from './question-answering.ts';
import { sparseEmbedding } from './sparse-embedding.ts';
import { fillMask } from './fill-mask.ts';
import { imageClassification, imageEmbedding } from './images.ts';
import { imageSegmentation } from './image-segmentation.ts';
import { objectDetection } from './object-detection.ts';
import { imageTextEmbedding, zeroShotImageClassification } from './texts-and-images.ts';
import { sequenceClassification } from './sequence-classification.ts';
import { tokenClassification } from './token-classification.ts';
import { zeroShotClassification } from './zero-shot-classification.ts';
import { zeroShotNer } from './zero-shot-ner.ts';

const TASKS: Record<string, Task> = {
  embedding,
  sparse_embedding: sparseEmbedding,
  fill_mask: fillMask,
  sequence_classification: sequenceClassification,
  zero_shot_classification: zeroShotClassification,
  question_answering: questionAnswering,
  token_classification: tokenClassification,
  zero_shot_ner: zeroShotNer,
  sentence_embedding: sentenceEmbedding,
  multi_vector: multiVector,
  image_classification: imageClassification,
  image_embedding: imageEmbedding,
  image_segmentation: imageSegmentation,
  object_detection: objectDetection,
  image_text_embedding: imageTextEmbedding,
  zero_shot_image_classification: zeroShotImageClassification,
};

export function taskOf({ model_type, id2label, score_function, outputs }: Model) {
  // A model with a single label does not classify: it scores how well two texts match, or it is a
  // regression model.
  const labels = Object.keys(id2label ?? {}).length;
  const isReranker = model_type === 'sequence_classification' && labels === 1 && score_function !== 'none';
  const task = isReranker ? reranking : outputs ? embeddingOutputs : TASKS[model_type];
  if (!task) throw new Error(`unknown model type ${model_type}`);
  return task;
}
