/**
 * The closed set of error codes. Each wire has one table from these to its own statuses (`serve/errors/`); there are no
 * user-defined codes.
 */
export type ErrorCode =
  | 'InputError'
  | 'InternalError'
  | 'ConfigError'
  /** Not what its content type says: broken JSON. */
  | 'MalformedError'
  | 'UnsupportedMediaError'
  | 'TooLargeError'
  /** The request did not arrive in time. */
  | 'SlowRequestError'
  | 'NotFoundError'
  | 'MethodError'
  | 'UnauthorizedError'
  /** There is no price for it, and nothing is given away. */
  | 'PaymentRequiredError'
  | 'ForbiddenError'
  /** Something of that name is there already, or is still in use. */
  | 'ConflictError'
  /** Too much is waiting already; later it will work. */
  | 'OverloadedError'
  /** The server is starting or ending. */
  | 'UnavailableError'
  /** Whoever asked has left. */
  | 'CancelledError'
  /** Not something that the server behind this one can do. */
  | 'NotImplementedError'
  /** The server behind this one failed. */
  | 'UpstreamError'
  /** The server behind this one did not answer in time. */
  | 'TimeoutError';

/** One thing that is wrong, where wires can tell several. */
export interface ErrorDetail {
  readonly message: string;
  /** A path into the request, as `body.arguments.city` or `path.tool`. */
  readonly location?: string | undefined;
  readonly value?: unknown;
  /** Which kind of rule it breaks, as JSON Schema calls it. */
  readonly rule?: string | undefined;
}

export interface AppErrorOptions {
  readonly cause?: unknown;
  readonly details?: readonly ErrorDetail[] | undefined;
  /** When it is worth trying again. */
  readonly retryAfterSeconds?: number | undefined;
  /** A stable word for programs, as `budget_exceeded`, where the code alone says too little. */
  readonly reason?: string | undefined;
}

/** The one error class. Its message is for the user: the bad value, the rule, the way out. `cause` is never shown. */
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

  /** Anything thrown becomes an AppError at an edge; what we did not foresee is our fault, an InternalError. */
  static from(reason: unknown): AppError {
    if (reason instanceof AppError) return reason;
    return new AppError('InternalError', messageOf(reason), { cause: reason });
  }
}

export const inputError = (message: string, cause?: unknown): AppError =>
  new AppError('InputError', message, { cause });
export const configError = (message: string, cause?: unknown): AppError =>
  new AppError('ConfigError', message, { cause });

/** The text of anything thrown, for putting inside a longer message. */
export function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
