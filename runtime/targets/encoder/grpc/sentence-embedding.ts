import {
  SentenceEmbedding,
  SentenceEmbeddingResponseSchema,
} from '../../../gen/encoder/sentence_embedding_pb.ts';
import { modelMetadata } from './model-metadata.ts';
import { predict } from './predict.ts';
import type { ModelService } from './service.ts';

export const sentenceEmbedding: ModelService = {
  service: SentenceEmbedding,
  add(router, context, options) {
    router.service(
      SentenceEmbedding,
      {
        predict: (request, call) => predict(context, call, request, SentenceEmbeddingResponseSchema),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};
