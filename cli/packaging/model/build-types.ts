import type { ModelType } from '#contract/model-types.ts';
import type { BuildType } from './build-type.ts';
import { embeddingBuild } from './embedding.ts';
import { fillMaskBuild } from './fill-mask.ts';
import { multiVectorBuild } from './multi-vector.ts';
import { questionAnsweringBuild } from './question-answering.ts';
import { sentenceEmbeddingBuild } from './sentence-embedding.ts';
import { sequenceClassificationBuild } from './sequence-classification.ts';
import { sparseEmbeddingBuild } from './sparse-embedding.ts';
import { tokenClassificationBuild } from './token-classification.ts';
import { zeroShotClassificationBuild } from './zero-shot-classification.ts';
import { zeroShotNerBuild } from './zero-shot-ner.ts';

/** All model types. If clues are equally certain, the first type is guessed. */
export const BUILD_TYPES: { readonly [Type in ModelType]: BuildType<Type> } = {
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
};
