import { ConnectError, type ConnectRouterOptions } from '@connectrpc/connect';
import { AppError } from '#contract/errors.ts';
import type { Access } from '#serve/access.ts';
import { GRPC_STATUS } from '#serve/errors/grpc-status.ts';
import { reportUnreadableMessages, errorInterceptor, type ErrorOptions } from './errors.ts';
import { observeEnd } from './observe.ts';

export interface ServiceOptions extends ErrorOptions {
  /** Access control; undefined if no key is required. */
  readonly access?: Access;
}

/** Error handling, size limits and access control of every service: the third argument of `router.service`. */
export function serviceOptions(options: ServiceOptions): Partial<ConnectRouterOptions> {
  return {
    readMaxBytes: options.maxMessageBytes,
    // Millions of unknown fields would be kept as objects, and there can be one per two bytes.
    binaryOptions: { readUnknownFields: false },
    // Without this, JSON responses omit zeros.
    jsonOptions: { alwaysEmitImplicit: true },
    interceptors: [errorInterceptor(options)],
    // Runs before the message is read, so that unauthenticated callers cost nothing.
    requestGate(context) {
      reportUnreadableMessages(context, options);
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
