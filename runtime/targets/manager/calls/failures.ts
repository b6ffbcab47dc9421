import { RPC_CODE } from '../../../serve/mcp/rpc-error.ts';
import { AppError, messageOf } from '../../../contract/errors.ts';
import { clientDisconnected } from '../../../platform/wait-for.ts';
import { ConnectionClosed, RpcFailure, TimeoutFailure } from '../upstream/connection.ts';
import { Malformed } from '../shapes/shape.ts';
import type { Redactor } from '../../../serve/redact.ts';

/** MCP's code for a resource that is not there, up to 2025-11-25. */
export const RESOURCE_NOT_FOUND = -32_002;

/** How a failure of one kind of request is told. */
export interface FailureTexts {
  /** `MCP server error calling tool` */
  readonly title: string;
  /** `tool call failed: time/get_current_time`; the cause follows. */
  readonly detail: string;
}

export interface FailureContext {
  readonly texts: FailureTexts;
  readonly redact: Redactor;
  /** The server that it is about. */
  readonly server: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whatever went wrong between us and a server, as callers are told. What the server said stays as `cause`; nothing has secrets. */
export function explainFailure(error: unknown, { texts, redact, server, signal }: FailureContext): AppError {
  const clean: Clean = {
    text: (text) => redact.text(text, server),
    value: (value) => redact.value(value, server),
  };
  if (error instanceof AppError) return withoutSecrets(error, clean);
  if (signal?.aborted) return clientDisconnected();
  const code = error instanceof TimeoutFailure ? 'TimeoutError' : 'UpstreamError';
  const details = [{ message: `${texts.detail}: ${causeOf(error)}` }];
  return withoutSecrets(new AppError(code, texts.title, { details, cause: error }), clean);
}

export const isMethodNotFound = (error: unknown): boolean =>
  error instanceof RpcFailure && error.code === RPC_CODE.methodNotFound;
export const isInvalidParams = (error: unknown): error is RpcFailure =>
  error instanceof RpcFailure && error.code === RPC_CODE.invalidParams;
export const isResourceNotFound = (error: unknown): boolean =>
  error instanceof RpcFailure && error.code === RESOURCE_NOT_FOUND;

/** The published JavaScript client takes it for an empty list only if it reads both "501" and "Not Implemented". */
export const notImplemented = (what: string, server: string): AppError =>
  new AppError('NotImplementedError', `${what} not implemented by server: ${server} (501 Not Implemented)`);

function causeOf(error: unknown): string {
  if (isInvalidParams(error)) return `invalid params: ${error.message}`;
  if (error instanceof ConnectionClosed || error instanceof TimeoutFailure) {
    return `transport error: ${error.message}`;
  }
  return error instanceof Malformed ? `malformed answer: ${error.message}` : messageOf(error);
}

type Clean = Pick<Redactor, 'text' | 'value'>;

function withoutSecrets(error: AppError, redact: Clean): AppError {
  const { code, message, details, cause, retryAfterSeconds } = error;
  return new AppError(code, redact.text(message), {
    details: details?.map((detail) => ({ ...detail, message: redact.text(detail.message) })),
    // Of any other cause all that matters is said already.
    cause: cause instanceof RpcFailure ? rpcFailureWithoutSecrets(cause, redact) : undefined,
    retryAfterSeconds,
  });
}

const rpcFailureWithoutSecrets = ({ code, message, data }: RpcFailure, redact: Clean): RpcFailure =>
  new RpcFailure(code, redact.text(message), redact.value(data));
