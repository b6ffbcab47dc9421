import {
  TokenClassification,
  TokenClassificationResponseSchema,
} from '#gen/encoder/token_classification_pb.ts';
import { modelMetadata } from './model-metadata.ts';
import { predict } from './predict.ts';
import type { ModelService } from './service.ts';

export const tokenClassification: ModelService = {
  service: TokenClassification,
  add(router, context, options) {
    router.service(
      TokenClassification,
      {
        predict: (request, call) => predict(context, call, request, TokenClassificationResponseSchema),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};
