/**
 * All error codes. For each transport, a table in `serve/errors/` maps these codes to the
 * transport's own statuses. There are no user-defined codes.
 */
export type ErrorCode =
  | 'InputError'
  | 'InternalError'
  | 'ConfigError'
  /** The content does not match its content type, for example invalid JSON. */
  | 'MalformedError'
  | 'UnsupportedMediaError'
  | 'TooLargeError'
  /** The request did not arrive in time. */
  | 'SlowRequestError'
  | 'NotFoundError'
  | 'MethodError'
  | 'UnauthorizedError'
  /** The model has no price, but the server requires prices. */
  | 'PaymentRequiredError'
  | 'ForbiddenError'
  /** A resource with this name already exists, or the resource is in use. */
  | 'ConflictError'
  /** The server is overloaded; the request can be retried later. */
  | 'OverloadedError'
  /** The server is starting or stopping. */
  | 'UnavailableError'
  /** The client has disconnected or cancelled the request. */
  | 'CancelledError'
  /** The upstream server does not support the operation. */
  | 'NotImplementedError'
  /** The upstream server failed. */
  | 'UpstreamError'
  /** The upstream server did not respond in time. */
  | 'TimeoutError';

/** One problem, for transports that can report several. */
export interface ErrorDetail {
  readonly message: string;
  /** Path of the invalid value in the request, for example `body.arguments.city` or `path.tool`. */
  readonly location?: string | undefined;
  readonly value?: unknown;
  /** The violated rule, by its JSON Schema keyword. */
  readonly rule?: string | undefined;
}

export interface AppErrorOptions {
  readonly cause?: unknown;
  readonly details?: readonly ErrorDetail[] | undefined;
  /** Seconds after which the request can be retried. */
  readonly retryAfterSeconds?: number | undefined;
  /**
   * A stable identifier for use by programs, for example `budget_exceeded`, if the code alone is
   * not specific enough.
   */
  readonly reason?: string | undefined;
}

/**
 * The only error class. Its message is for the user, and contains the bad value, the rule and the
 * way out. `cause` is never shown to users.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly reason: string | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.reason = options.reason;
  }

  /** Converts any thrown value to an AppError. Unexpected errors become an InternalError. */
  static from(reason: unknown): AppError {
    if (reason instanceof AppError) return reason;
    return new AppError('InternalError', messageOf(reason), { cause: reason });
  }
}

export const inputError = (message: string, cause?: unknown): AppError =>
  new AppError('InputError', message, { cause });
export const configError = (message: string, cause?: unknown): AppError =>
  new AppError('ConfigError', message, { cause });

/** Returns the message of any thrown value, for use in a longer message. */
export function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
