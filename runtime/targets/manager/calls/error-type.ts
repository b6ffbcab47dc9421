import { RpcError } from '#serve/mcp/rpc-error.ts';
import { ConnectionClosed, RpcFailure, TimeoutFailure } from '../upstream/connection.ts';

/** Returns the `error.type` of a request to a server that failed, for its span: the code of the server if it returned one. */
export function errorType(error: unknown): string {
  if (error instanceof RpcFailure) return String(error.code);
  if (error instanceof TimeoutFailure) return 'timeout';
  if (error instanceof ConnectionClosed) return 'connection_closed';
  return String(RpcError.from(error).code);
}
