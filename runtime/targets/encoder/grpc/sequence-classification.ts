import {
  SequenceClassification,
  SequenceClassificationResponseSchema,
} from '#gen/encoder/sequence_classification_pb.ts';
import { modelMetadata } from './model-metadata.ts';
import { predict } from './predict.ts';
import type { ModelService } from './service.ts';

export const sequenceClassification: ModelService = {
  service: SequenceClassification,
  add(router, context, options) {
    router.service(
      SequenceClassification,
      {
        predict: (request, call) => predict(context, call, request, SequenceClassificationResponseSchema),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};
