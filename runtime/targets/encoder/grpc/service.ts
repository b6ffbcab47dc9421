import type { DescService } from '@bufbuild/protobuf';
import type { ConnectRouter, ConnectRouterOptions } from '@connectrpc/connect';
import type { EncoderContext } from '../context.ts';

/** The gRPC service of a model type. Every type has a file with its name. */
export interface ModelService {
  readonly service: DescService;
  add(router: ConnectRouter, context: EncoderContext, options: Partial<ConnectRouterOptions>): void;
}
