import { AppError, type ErrorCode } from '#contract/errors.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import { RpcFailure } from '../upstream/connection.ts';

/** The official SDKs' error code for a timeout. */
const REQUEST_TIMEOUT = -32_001;

/**
 * Error codes that differ from the codes of the other MCP servers in this project, because MCP
 * clients expect these codes from the manager.
 */
const CODES: Partial<Record<ErrorCode, number>> = {
  InputError: RPC_CODE.invalidParams,
  NotFoundError: RPC_CODE.invalidParams,
  ForbiddenError: RPC_CODE.invalidParams,
  NotImplementedError: RPC_CODE.methodNotFound,
  TimeoutError: REQUEST_TIMEOUT,
};

/**
 * Converts a failure to an error for the client. Errors from the upstream server are passed on; the manager's
 * own errors include a retry delay.
 */
export function toRpcError(reason: unknown): RpcError {
  if (reason instanceof RpcError) return reason;
  const failure = findFailure(reason);
  if (failure) return new RpcError(failure.code, failure.message, { cause: reason, data: failure.data });
  const error = AppError.from(reason);
  const { details = [], retryAfterSeconds } = error;
  const message = [error.message, ...details.map((detail) => detail.message)].join(': ');
  const data = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  return new RpcError(CODES[error.code] ?? RpcError.from(error).code, message, { cause: reason, data });
}

function findFailure(reason: unknown): RpcFailure | undefined {
  if (reason instanceof RpcFailure) return reason;
  return reason instanceof Error && reason.cause !== undefined ? findFailure(reason.cause) : undefined;
}
