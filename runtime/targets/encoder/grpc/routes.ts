import type { ConnectRouter } from '@connectrpc/connect';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import type { EncoderContext } from '../context.ts';
import { SERVED } from '../served/index.ts';
import { getModelMetadata, methodOf, answerPredict } from './predict.ts';
import { addHealth } from './server/health.ts';
import { addReflection } from './server/reflection.ts';
import { serviceOptions } from './server/service-options.ts';

export interface GrpcLimits {
  /** Maximum message size; larger requests are rejected. */
  readonly maxMessageBytes: number;
}

/** Registers the model type's service, health checks and server reflection. */
export async function encoderGrpcRoutes(
  context: EncoderContext,
  { maxMessageBytes }: GrpcLimits,
): Promise<(router: ConnectRouter) => void> {
  const { log, access, lifecycle } = context.kernel;
  const forAnyone = serviceOptions({ log, maxMessageBytes });
  const forCallers = serviceOptions({ log, maxMessageBytes, access });
  const { manifest } = context.engine;
  const service = await SERVED[manifest.modelType].grpc();
  return (router) => {
    router.rpc(methodOf(service, 'Predict'), answerPredict(context, service), forCallers);
    router.rpc(methodOf(service, 'GetModelMetadata'), () => getModelMetadata(manifest), forCallers);
    addHealth(router, { services: [service.typeName], lifecycle, serviceOptions: forAnyone });
    addReflection(router, [service, Health], forCallers);
  };
}
