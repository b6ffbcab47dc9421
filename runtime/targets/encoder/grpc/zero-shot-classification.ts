import {
  ZeroShotClassification,
  ZeroShotClassificationResponseSchema,
} from '#gen/encoder/zero_shot_classification_pb.ts';
import { planLabels } from '#core/model/label-plan.ts';
import { classifyByLabels } from '../predict/zero-shot.ts';
import { modelMetadata } from './model-metadata.ts';
import { answerTogether } from './answer-together.ts';
import type { ModelService } from './service.ts';

export const zeroShotClassification: ModelService = {
  service: ZeroShotClassification,
  add(router, context, options) {
    router.service(
      ZeroShotClassification,
      {
        predict: (request, call) =>
          answerTogether(context, call, request, ZeroShotClassificationResponseSchema, (run) =>
            classifyByLabels(
              context.engine,
              {
                texts: request.inputs,
                plan: planLabels({
                  labels: request.candidateLabels,
                  template: request.hypothesisTemplate,
                  multiLabel: request.multiLabel,
                }),
              },
              run,
            ),
          ),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};
