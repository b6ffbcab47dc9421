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
  | 'NotFoundError'
  | 'MethodError'
  | 'UnauthorizedError'
  | 'ForbiddenError'
  /** Too much is waiting already; later it will work. */
  | 'OverloadedError'
  /** The server is starting or ending. */
  | 'UnavailableError'
  /** Whoever asked has left. */
  | 'CancelledError';

/** The one error class. Its message is for the user: the bad value, the rule, the way out. `cause` is never shown. */
export class AppError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
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
