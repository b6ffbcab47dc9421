import { Code } from '@connectrpc/connect';
import type { ErrorCode } from '#contract/errors.ts';

/** gRPC status of each error code. */
export const GRPC_STATUS: Record<ErrorCode, Code> = {
  InputError: Code.InvalidArgument,
  InternalError: Code.Internal,
  ConfigError: Code.Internal,
  MalformedError: Code.InvalidArgument,
  UnsupportedMediaError: Code.InvalidArgument,
  TooLargeError: Code.ResourceExhausted,
  SlowRequestError: Code.DeadlineExceeded,
  NotFoundError: Code.NotFound,
  MethodError: Code.Unimplemented,
  UnauthorizedError: Code.Unauthenticated,
  PaymentRequiredError: Code.FailedPrecondition,
  ForbiddenError: Code.PermissionDenied,
  ConflictError: Code.AlreadyExists,
  OverloadedError: Code.ResourceExhausted,
  UnavailableError: Code.Unavailable,
  CancelledError: Code.Canceled,
  NotImplementedError: Code.Unimplemented,
  UpstreamError: Code.Unavailable,
  TimeoutError: Code.DeadlineExceeded,
};
