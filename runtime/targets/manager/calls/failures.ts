import { RPC_CODE } from '#serve/mcp/rpc-error.ts';
import { AppError, messageOf } from '#contract/errors.ts';
import { clientDisconnected } from '#platform/wait-for.ts';
import { ConnectionClosed, RpcFailure, TimeoutFailure } from '../upstream/connection.ts';
import { Malformed } from '../shapes/shape.ts';
import type { Redactor } from '#serve/redact.ts';

/** MCP's error code for an unknown resource, up to revision 2025-11-25. */
export const RESOURCE_NOT_FOUND = -32_002;

/** The texts that describe a failure of one kind of request. */
export interface FailureTexts {
  /** For example `MCP server error calling tool`. */
  readonly title: string;
  /** For example `tool call failed: time/get_current_time`; the cause is appended. */
  readonly detail: string;
}

export interface FailureContext {
  readonly texts: FailureTexts;
  readonly redact: Redactor;
  /** The normalized name of the server, if it is known. */
  readonly server: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Converts a failure of a call to an error for the caller, with secrets redacted. An error of the server stays its `cause`. */
export function explainFailure(error: unknown, { texts, redact, server, signal }: FailureContext): AppError {
  const redactor: ServerRedactor = {
    text: (text) => redact.text(text, server),
    value: (value) => redact.value(value, server),
  };
  if (error instanceof AppError) return redactError(error, redactor);
  if (signal?.aborted) return clientDisconnected();
  const code = error instanceof TimeoutFailure ? 'TimeoutError' : 'UpstreamError';
  const details = [{ message: `${texts.detail}: ${causeOf(error)}` }];
  return redactError(new AppError(code, texts.title, { details, cause: error }), redactor);
}

export const isMethodNotFound = (error: unknown): boolean =>
  error instanceof RpcFailure && error.code === RPC_CODE.methodNotFound;
export const isInvalidParams = (error: unknown): error is RpcFailure =>
  error instanceof RpcFailure && error.code === RPC_CODE.invalidParams;
export const isResourceNotFound = (error: unknown): boolean =>
  error instanceof RpcFailure && error.code === RESOURCE_NOT_FOUND;

export const notImplemented = (what: string, server: string): AppError =>
  new AppError('NotImplementedError', `${what} not implemented by server: ${server}`);

function causeOf(error: unknown): string {
  if (isInvalidParams(error)) return `invalid params: ${error.message}`;
  if (error instanceof ConnectionClosed || error instanceof TimeoutFailure) {
    return `transport error: ${error.message}`;
  }
  return error instanceof Malformed ? `malformed result: ${error.message}` : messageOf(error);
}

type ServerRedactor = Pick<Redactor, 'text' | 'value'>;

function redactError(error: AppError, redact: ServerRedactor): AppError {
  const { code, message, details, cause, retryAfterSeconds } = error;
  return new AppError(code, redact.text(message), {
    details: details?.map((detail) => ({ ...detail, message: redact.text(detail.message) })),
    // The message already contains the relevant part of any other cause.
    cause: cause instanceof RpcFailure ? redactRpcFailure(cause, redact) : undefined,
    retryAfterSeconds,
  });
}

const redactRpcFailure = ({ code, message, data }: RpcFailure, redact: ServerRedactor): RpcFailure =>
  new RpcFailure(code, redact.text(message), redact.value(data));
