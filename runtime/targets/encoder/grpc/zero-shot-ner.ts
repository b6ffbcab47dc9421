import { ZeroShotNer, ZeroShotNerResponseSchema } from '#gen/encoder/zero_shot_ner_pb.ts';
import { modelMetadata } from './model-metadata.ts';
import { predict } from './predict.ts';
import type { ModelService } from './service.ts';

export const zeroShotNer: ModelService = {
  service: ZeroShotNer,
  add(router, context, options) {
    router.service(
      ZeroShotNer,
      {
        predict: (request, call) => predict(context, call, request, ZeroShotNerResponseSchema),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};
