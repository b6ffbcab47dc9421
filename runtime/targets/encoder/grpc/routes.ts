import type { ConnectRouter } from '@connectrpc/connect';
import type { ModelType } from '#contract/model-types.ts';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { addHealth } from './server/health.ts';
import { addReflection } from './server/reflection.ts';
import { serviceOptions } from './server/service-options.ts';
import type { EncoderContext } from '../context.ts';
import { embedding } from './embedding.ts';
import { sparseEmbedding } from './sparse-embedding.ts';
import { fillMask } from './fill-mask.ts';
import { multiVector } from './multi-vector.ts';
import { questionAnswering } from './question-answering.ts';
import { sentenceEmbedding } from './sentence-embedding.ts';
import { sequenceClassification } from './sequence-classification.ts';
import type { ModelService } from './service.ts';
import { tokenClassification } from './token-classification.ts';
import { zeroShotClassification } from './zero-shot-classification.ts';
import { zeroShotNer } from './zero-shot-ner.ts';

/** @internal Exported for tests. */
export const SERVICES: Record<ModelType, ModelService> = {
  embedding,
  sparse_embedding: sparseEmbedding,
  fill_mask: fillMask,
  sequence_classification: sequenceClassification,
  zero_shot_classification: zeroShotClassification,
  question_answering: questionAnswering,
  token_classification: tokenClassification,
  zero_shot_ner: zeroShotNer,
  sentence_embedding: sentenceEmbedding,
  multi_vector: multiVector,
};

export interface GrpcLimits {
  /** Maximum message size; larger requests are rejected. */
  readonly maxMessageBytes: number;
}

/** Routes of the service for the model type, of health checks and of server reflection. */
export function encoderGrpcRoutes(
  context: EncoderContext,
  { maxMessageBytes }: GrpcLimits,
): (router: ConnectRouter) => void {
  const { log, access, lifecycle } = context.kernel;
  const forAnyone = serviceOptions({ log, maxMessageBytes });
  const forCallers = serviceOptions({ log, maxMessageBytes, access });
  const model = SERVICES[context.engine.manifest.modelType];
  return (router) => {
    model.add(router, context, forCallers);
    addHealth(router, { services: [model.service.typeName], lifecycle, serviceOptions: forAnyone });
    addReflection(router, [model.service, Health], forCallers);
  };
}
