import type { ModelType } from '#contract/model-types.ts';
import { embedding } from './embedding.ts';
import { multiVector } from './multi-vector.ts';
import { questionAnswering } from './question-answering.ts';
import { sentenceEmbedding } from './sentence-embedding.ts';
import { sparseEmbedding } from './sparse-embedding.ts';
import { fillMask } from './fill-mask.ts';
import { sequenceClassification } from './sequence-classification.ts';
import type { Task } from './task.ts';
import { tokenClassification } from './token-classification.ts';
import { zeroShotClassification } from './zero-shot-classification.ts';
import { zeroShotNer } from './zero-shot-ner.ts';

/** Help lists their flags in this order. */
export const TASKS: Record<ModelType, Task<unknown>> = {
  sentence_embedding: sentenceEmbedding,
  multi_vector: multiVector,
  embedding,
  sparse_embedding: sparseEmbedding,
  zero_shot_classification: zeroShotClassification,
  zero_shot_ner: zeroShotNer,
  question_answering: questionAnswering,
  fill_mask: fillMask,
  token_classification: tokenClassification,
  sequence_classification: sequenceClassification,
};
