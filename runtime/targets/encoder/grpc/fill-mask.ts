import { FillMask, FillMaskResponseSchema } from '#gen/encoder/fill_mask_pb.ts';
import { modelMetadata } from './model-metadata.ts';
import { predict } from './predict.ts';
import type { ModelService } from './service.ts';

export const fillMask: ModelService = {
  service: FillMask,
  add(router, context, options) {
    router.service(
      FillMask,
      {
        predict: (request, call) => predict(context, call, request, FillMaskResponseSchema),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};
