import type { EmbeddingOutput as OutputName } from '#contract/embedding-outputs.ts';
import { inputError } from '#contract/errors.ts';
import {
  EmbeddingOutput,
  SentenceEmbedding,
  SentenceEmbeddingResponseSchema,
} from '#gen/encoder/sentence_embedding_pb.ts';
import { modelMetadata } from './model-metadata.ts';
import { predict } from './predict.ts';
import type { ModelService } from './service.ts';

export const sentenceEmbedding: ModelService = {
  service: SentenceEmbedding,
  add(router, context, options) {
    router.service(
      SentenceEmbedding,
      {
        predict: (request, call) =>
          predict(
            context,
            call,
            { ...request, outputs: request.outputs.map(outputOf) },
            SentenceEmbeddingResponseSchema,
          ),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};

function outputOf(output: EmbeddingOutput): OutputName {
  if (output === EmbeddingOutput.DENSE) return 'dense';
  if (output === EmbeddingOutput.SPARSE) return 'sparse';
  if (output === EmbeddingOutput.MULTI_VECTOR) return 'multi_vector';
  throw inputError(
    `outputs must be of EMBEDDING_OUTPUT_DENSE, EMBEDDING_OUTPUT_SPARSE, EMBEDDING_OUTPUT_MULTI_VECTOR, not ${output}`,
  );
}
