import type { ModelType } from '#contract/model-types.ts';
import { embedding } from './embedding.ts';
import { fillMask } from './fill-mask.ts';
import { multiVector } from './multi-vector.ts';
import { questionAnswering } from './question-answering.ts';
import { sentenceEmbedding } from './sentence-embedding.ts';
import { sequenceClassification } from './sequence-classification.ts';
import type { ServedType } from './served-type.ts';
import { sparseEmbedding } from './sparse-embedding.ts';
import { tokenClassification } from './token-classification.ts';
import { zeroShotClassification } from './zero-shot-classification.ts';
import { zeroShotNer } from './zero-shot-ner.ts';

export const SERVED: Readonly<Record<ModelType, ServedType>> = {
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
};
