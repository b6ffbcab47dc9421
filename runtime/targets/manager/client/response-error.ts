import { AppError, messageOf } from '#contract/errors.ts';
import { readErrorBody } from '#serve/client/error-body.ts';

/** A response without the requested result. */
export interface ErrorResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Converts a response to an error, with the manager's message if a manager sent it. */
export function responseError({ status, contentType, text }: ErrorResponse, origin: string): AppError {
  const problem = contentType.startsWith('application/problem+json') ? readErrorBody(text) : undefined;
  if (!problem) {
    return new AppError(
      'UpstreamError',
      `The server at ${origin} is not an mcp-manager: it returned status ${status} with ${contentType || 'no content type'}. Set another address with --url.`,
    );
  }
  const message = [problem.message, ...problem.details.filter((detail) => detail !== problem.message)].join(
    ': ',
  );
  if (status !== 401) return new AppError('UpstreamError', message);
  return new AppError('UnauthorizedError', `${message} Set a key with --api-key or MCP_MANAGER_API_KEY.`);
}

/** Converts a failure of the connection to an error. */
export function connectionError(error: unknown, origin: string): AppError {
  const code = (error as { readonly code?: unknown }).code;
  const why = code === 'ECONNREFUSED' ? '' : ` (${messageOf(error) || String(code)})`;
  return new AppError(
    'UnavailableError',
    `No manager is running at ${origin}${why}. Start one with \`mcp-manager daemon\`, or set its address with --url.`,
    { cause: error },
  );
}
