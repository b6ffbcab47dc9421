import { Embedding, EmbeddingResponseSchema } from '#gen/encoder/embedding_pb.ts';
import { modelMetadata } from './model-metadata.ts';
import { predict } from './predict.ts';
import type { ModelService } from './service.ts';

export const embedding: ModelService = {
  service: Embedding,
  add(router, context, options) {
    router.service(
      Embedding,
      {
        predict: (request, call) => predict(context, call, request, EmbeddingResponseSchema),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};
