import { type GrpcServer, listenGrpc } from '../grpc/server/listen.ts';
import type { EncoderContext } from '../context.ts';
import { encoderGrpcRoutes } from '../grpc/routes.ts';
import type { Address } from './addresses.ts';
import { modelHostRules, type ServeSettings } from './settings.ts';

/** Grace period for sending the last bytes of responses, after all requests have been completed. */
const CLOSE_MILLISECONDS = 2000;

/** Serves gRPC on an address. */
export async function serveGrpc(
  context: EncoderContext,
  settings: ServeSettings,
  address: Address,
): Promise<GrpcServer> {
  const { tls, maxBodyBytes } = settings;
  const { lifecycle, log, metrics, tracer, requestMemory } = context.kernel;
  return await listenGrpc({
    routes: await encoderGrpcRoutes(context, { maxMessageBytes: maxBodyBytes }),
    lifecycle,
    log,
    metrics,
    tracer,
    requestMemory,
    ...address,
    tls,
    hostRules: modelHostRules(settings, address),
    closeTimeout: CLOSE_MILLISECONDS,
  });
}
