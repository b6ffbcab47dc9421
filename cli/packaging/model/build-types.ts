import type { ModelType } from '#contract/model-types.ts';
import type { BuildType } from './build-type.ts';
import { embedding } from './embedding.ts';
import { fillMask } from './fill-mask.ts';
import { multiVector } from './multi-vector.ts';
import { questionAnswering } from './question-answering.ts';
import { sentenceEmbedding } from './sentence-embedding.ts';
import { sequenceClassification } from './sequence-classification.ts';
import { sparseEmbedding } from './sparse-embedding.ts';
import { tokenClassification } from './token-classification.ts';
import { zeroShotClassification } from './zero-shot-classification.ts';
import { zeroShotNer } from './zero-shot-ner.ts';

/** All model types. Of types with equally certain clues, the first one is guessed. */
export const BUILD_TYPES: { readonly [Type in ModelType]: BuildType<Type> } = {
  token_classification: tokenClassification,
  zero_shot_classification: zeroShotClassification,
  sequence_classification: sequenceClassification,
  question_answering: questionAnswering,
  zero_shot_ner: zeroShotNer,
  sparse_embedding: sparseEmbedding,
  sentence_embedding: sentenceEmbedding,
  multi_vector: multiVector,
  fill_mask: fillMask,
  embedding,
};
