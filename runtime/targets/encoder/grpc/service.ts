import type { DescService } from '@bufbuild/protobuf';
import type { ConnectRouter, ConnectRouterOptions } from '@connectrpc/connect';
import type { EncoderContext } from '../context.ts';

/** The gRPC service of one model type. Every type has one, in a file of its own name. */
export interface ModelService {
  readonly service: DescService;
  add(router: ConnectRouter, context: EncoderContext, options: Partial<ConnectRouterOptions>): void;
}
