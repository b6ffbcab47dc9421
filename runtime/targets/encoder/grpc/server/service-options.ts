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
    // Unknown fields would be kept as objects. A message can contain one per two bytes, so there
    // could be millions.
    binaryOptions: { readUnknownFields: false },
    // Without this option, JSON responses would omit fields with the value zero.
    jsonOptions: { alwaysEmitImplicit: true },
    interceptors: [errorInterceptor(options)],
    // Runs before the message is read, so that unauthenticated callers use no resources.
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
