import { SparseEmbedding, SparseEmbeddingResponseSchema } from '#gen/encoder/sparse_embedding_pb.ts';
import { modelMetadata } from './model-metadata.ts';
import { predict } from './predict.ts';
import type { ModelService } from './service.ts';

export const sparseEmbedding: ModelService = {
  service: SparseEmbedding,
  add(router, context, options) {
    router.service(
      SparseEmbedding,
      {
        predict: (request, call) => predict(context, call, request, SparseEmbeddingResponseSchema),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};
