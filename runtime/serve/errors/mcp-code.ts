import type { ErrorCode } from '#contract/errors.ts';

const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;

/**
 * The JSON-RPC error code for each of the project's error codes, for MCP. It only distinguishes
 * client errors from server errors.
 */
export const MCP_CODE: Record<ErrorCode, number> = {
  InputError: INVALID_REQUEST,
  InternalError: INTERNAL_ERROR,
  ConfigError: INTERNAL_ERROR,
  MalformedError: INVALID_REQUEST,
  UnsupportedMediaError: INVALID_REQUEST,
  TooLargeError: INVALID_REQUEST,
  SlowRequestError: INVALID_REQUEST,
  NotFoundError: INVALID_REQUEST,
  MethodError: INVALID_REQUEST,
  UnauthorizedError: INVALID_REQUEST,
  PaymentRequiredError: INVALID_REQUEST,
  ForbiddenError: INVALID_REQUEST,
  ConflictError: INVALID_REQUEST,
  OverloadedError: INTERNAL_ERROR,
  UnavailableError: INTERNAL_ERROR,
  CancelledError: INTERNAL_ERROR,
  NotImplementedError: INTERNAL_ERROR,
  UpstreamError: INTERNAL_ERROR,
  TimeoutError: INTERNAL_ERROR,
};
