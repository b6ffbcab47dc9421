import { create, toBinary } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { AppError } from '#contract/errors.ts';
import { Embedding, EmbeddingRequestSchema } from '#gen/encoder/embedding_pb.ts';
import { addHealth } from '#encoder/grpc/server/health.ts';
import type { GrpcListenOptions, GrpcServer } from '#encoder/grpc/server/listen.ts';
import { addReflection } from '#encoder/grpc/server/reflection.ts';
import { serviceOptions } from '#encoder/grpc/server/service-options.ts';
import { testKernel, type TestKernel } from '#test/helpers/test-kernel.ts';
import { useGrpcServers } from './test-server.ts';

export const PREDICT = '/encoder.Embedding/Predict';

/** A message that selects one of the outcomes below. */
export const asking = (text: string): Uint8Array<ArrayBuffer> =>
  toBinary(EmbeddingRequestSchema, create(EmbeddingRequestSchema, { inputs: [text] }));

export interface ObservedServer {
  readonly kernel: TestKernel;
  readonly port: number;
  readonly server: GrpcServer;
  /** Resolves when a call has arrived that never gets a response. */
  readonly hanging: Promise<void>;
}

/** Servers for `encoder.Embedding`, health and reflection, whose input selects the result of Predict: success, error, crash, hang. */
export function useObservedServers(): (
  keys?: readonly string[],
  options?: Partial<GrpcListenOptions>,
) => Promise<ObservedServer> {
  const listen = useGrpcServers();
  return async (keys = [], options = {}) => {
    const kernel = testKernel(keys);
    const hanging = Promise.withResolvers<void>();
    const predict = (text: string | undefined, signal: AbortSignal): Promise<{ modelId: string }> => {
      if (text === 'fine') return Promise.resolve({ modelId: 'm' });
      if (text === 'wrong') throw new AppError('InputError', 'Wrong.');
      if (text === 'crash') throw new TypeError('secret');
      hanging.resolve();
      return new Promise((_, reject) => {
        const gone = (): void => reject(new AppError('CancelledError', 'Gone.'));
        if (signal.aborted) gone();
        signal.addEventListener('abort', gone);
      });
    };
    const { log, access, lifecycle, metrics } = kernel;
    const routes = (router: ConnectRouter): void => {
      const forCallers = serviceOptions({ log, access, maxMessageBytes: 1000 });
      const forAnyone = serviceOptions({ log, maxMessageBytes: 1000 });
      router.service(
        Embedding,
        { predict: ({ inputs: [text] }, { signal }) => predict(text, signal) },
        forCallers,
      );
      addHealth(router, { services: [Embedding.typeName], lifecycle, serviceOptions: forAnyone });
      addReflection(router, [Embedding], forCallers);
    };
    const server = await listen({ routes, log, metrics, ...options });
    return { kernel, port: server.port, server, hanging: hanging.promise };
  };
}
