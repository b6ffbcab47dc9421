import type { ErrorCode } from '#contract/errors.ts';

/**
 * HTTP status of each error code. 499 is nginx's status for a client that has disconnected; it is
 * never received by a client.
 */
export const HTTP_STATUS: Record<ErrorCode, number> = {
  InputError: 422,
  InternalError: 500,
  ConfigError: 500,
  MalformedError: 400,
  UnsupportedMediaError: 415,
  TooLargeError: 413,
  SlowRequestError: 408,
  NotFoundError: 404,
  MethodError: 405,
  UnauthorizedError: 401,
  PaymentRequiredError: 402,
  ForbiddenError: 403,
  ConflictError: 409,
  OverloadedError: 429,
  UnavailableError: 503,
  CancelledError: 499,
  NotImplementedError: 501,
  UpstreamError: 502,
  TimeoutError: 504,
};
