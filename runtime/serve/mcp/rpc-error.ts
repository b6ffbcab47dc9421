import { AppError } from '../../contract/errors.ts';
import { MCP_CODE } from '../errors/mcp-code.ts';

/** JSON-RPC's own codes, for what is wrong before a tool runs: https://www.jsonrpc.org/specification#error_object */
export const RPC_CODE = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
} as const;

/**
 * An error as the client gets it: the SDK sends `code` and `message` of what a handler throws. Its own McpError would put
 * the code into the message too.
 */
export class RpcError extends Error {
  readonly code: number;
  /** Sent to the client unless it is undefined. */
  readonly data: unknown;

  constructor(code: number, message: string, options: ErrorOptions & { readonly data?: unknown } = {}) {
    super(message, options);
    this.name = 'RpcError';
    this.code = code;
    this.data = options.data;
  }

  /** Anything a handler threw, with the code of `serve/errors/mcp-code.ts`. */
  static from(reason: unknown): RpcError {
    if (reason instanceof RpcError) return reason;
    const { code, message } = AppError.from(reason);
    return new RpcError(MCP_CODE[code], message, { cause: reason });
  }
}
