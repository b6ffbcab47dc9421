import {
  Code,
  ConnectError,
  createContextKey,
  type HandlerContext,
  type Interceptor,
} from '@connectrpc/connect';
import { AppError } from '#contract/errors.ts';
import { GRPC_STATUS } from '#serve/errors/grpc-status.ts';
import type { Logger } from '#serve/log.ts';
import { observedCall } from './observe.ts';

export interface ErrorOptions {
  readonly log: Logger;
  /** Maximum message size; larger messages are rejected. */
  readonly maxMessageBytes: number;
}

/** Retry-After value for an overloaded server, in seconds. */
const RETRY_AFTER = '1';

/** Set as soon as the first (or only) message of a call has been read. */
const messageWasRead = createContextKey(false);

/**
 * Converts anything that a method throws to a status. Internal errors are logged, and clients only
 * receive a generic message.
 */
export function errorInterceptor(options: ErrorOptions): Interceptor {
  return (next) => async (request) => {
    const explain = (error: unknown): ConnectError =>
      statusOf(error, request.signal, (cause) =>
        options.log.error(
          { ...request.contextValues.get(observedCall)?.about, err: cause },
          'gRPC call failed',
        ),
      );
    request.contextValues.set(messageWasRead, true);
    try {
      if (!request.stream) return await next(request);
      const message = rethrow(request.message, (error) => unreadable(error, options));
      const response = await next({ ...request, message });
      return response.stream ? { ...response, message: rethrow(response.message, explain) } : response;
    } catch (error) {
      throw explain(error);
    }
  };
}

/**
 * Connect reads the message of a unary call before any interceptor runs, and reports an invalid
 * protobuf message as a server error. The call's signal is the only hook that runs before the
 * client gets the status.
 */
export function reportUnreadableMessages({ signal, values }: HandlerContext, options: ErrorOptions): void {
  signal.addEventListener(
    'abort',
    () => {
      if (!values.get(messageWasRead)) unreadable(signal.reason, options);
    },
    { once: true },
  );
}

/** An error while the message is being read is a client error. */
function unreadable(error: unknown, { maxMessageBytes }: ErrorOptions): unknown {
  if (!(error instanceof ConnectError)) return error;
  if (error.code === Code.Internal) {
    const rawMessage = `Cannot read the message: ${error.rawMessage}.`;
    return Object.assign(error, { code: Code.InvalidArgument, rawMessage });
  }
  if (error.code === Code.ResourceExhausted) {
    const rawMessage = `Message too large: the maximum is ${maxMessageBytes} bytes. Send several smaller messages.`;
    return Object.assign(error, { rawMessage });
  }
  return error;
}

function statusOf(error: unknown, signal: AbortSignal, report: (cause: unknown) => void): ConnectError {
  if (error instanceof ConnectError) return error;
  // An expired deadline and a disconnected client abort the call with different errors.
  if (signal.aborted) {
    return signal.reason instanceof ConnectError
      ? signal.reason
      : new ConnectError('Call canceled.', Code.Canceled);
  }
  if (!(error instanceof AppError)) {
    report(error);
    return new ConnectError('Internal error; see the server log.', Code.Internal);
  }
  const code = GRPC_STATUS[error.code];
  if (code === Code.Internal) report(error);
  const metadata = error.code === 'OverloadedError' ? { 'retry-after': RETRY_AFTER } : {};
  return new ConnectError(error.message, code, metadata);
}

async function* rethrow<T>(
  messages: AsyncIterable<T>,
  explain: (error: unknown) => unknown,
): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (error) {
    throw explain(error);
  }
}
