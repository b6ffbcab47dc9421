import { AppError } from '#contract/errors.ts';
import { MCP_CODE } from '../errors/mcp-code.ts';

/** Standard JSON-RPC error codes, for errors before a tool runs: https://www.jsonrpc.org/specification#error_object */
export const RPC_CODE = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
} as const;

/**
 * An error in the form in which the client receives it. The SDK sends the `code` and `message` of
 * thrown errors, but its own McpError repeats the code in the message.
 */
export class RpcError extends Error {
  readonly code: number;
  /** Additional data for the client; omitted if undefined. */
  readonly data: unknown;

  constructor(code: number, message: string, options: ErrorOptions & { readonly data?: unknown } = {}) {
    super(message, options);
    this.name = 'RpcError';
    this.code = code;
    this.data = options.data;
  }

  /** Converts any thrown value to an RpcError, with the codes in `serve/errors/mcp-code.ts`. */
  static from(reason: unknown): RpcError {
    if (reason instanceof RpcError) return reason;
    const { code, message } = AppError.from(reason);
    return new RpcError(MCP_CODE[code], message, { cause: reason });
  }
}
