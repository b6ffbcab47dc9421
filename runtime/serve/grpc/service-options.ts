import { ConnectError, type ConnectRouterOptions } from '@connectrpc/connect';
import { AppError } from '../../contract/errors.ts';
import type { Access } from '../access.ts';
import { GRPC_STATUS } from '../errors/grpc-status.ts';
import { blameUnreadableMessages, errorInterceptor, type ErrorOptions } from './errors.ts';
import { observeEnd } from './observe.ts';

export interface ServiceOptions extends ErrorOptions {
  /** Absent where anyone may call. */
  readonly access?: Access;
}

/** How every service of ours handles errors, size limits and keys: the third argument of `router.service`. */
export function serviceOptions(options: ServiceOptions): Partial<ConnectRouterOptions> {
  return {
    readMaxBytes: options.maxMessageBytes,
    // Zeros are values too: without this, answers in JSON leave them out.
    jsonOptions: { alwaysEmitImplicit: true },
    interceptors: [errorInterceptor(options)],
    // Runs before the message is read, so strangers cost nothing.
    requestGate(context) {
      blameUnreadableMessages(context, options);
      observeEnd(context);
      if (options.access) checkAccess(options.access, context.requestHeader.get('authorization'));
    },
  };
}

function checkAccess(access: Access, authorization: string | null): void {
  try {
    access.check(authorization);
  } catch (error) {
    const { code, message } = AppError.from(error);
    throw new ConnectError(message, GRPC_STATUS[code]);
  }
}
