import { AppError, messageOf } from '../../../contract/errors.ts';
import { readErrorBody } from '../../../serve/client/error-body.ts';

/** The answer of a manager that is not what was asked for. */
export interface RefusedAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** What went wrong, in the manager's own words where it is one. */
export function answerError({ status, contentType, text }: RefusedAnswer, origin: string): AppError {
  const problem = contentType.startsWith('application/problem+json') ? readErrorBody(text) : undefined;
  if (!problem) {
    return new AppError(
      'UpstreamError',
      `What answers at ${origin} is no mcp-manager: it sent status ${status} and ${contentType || 'no content type'}. Name another address with --url.`,
    );
  }
  const message = [problem.message, ...problem.details.filter((one) => one !== problem.message)].join(': ');
  if (status !== 401) return new AppError('UpstreamError', message);
  return new AppError('UnauthorizedError', `${message} With --api-key or MCP_MANAGER_API_KEY you give one.`);
}

/** Nothing answers. */
export function unreachable(error: unknown, origin: string): AppError {
  const code = (error as { readonly code?: unknown }).code;
  const why = code === 'ECONNREFUSED' ? '' : ` (${messageOf(error) || String(code)})`;
  return new AppError(
    'UnavailableError',
    `No manager answers at ${origin}${why}. Start one with \`mcp-manager daemon\`, or name its address with --url.`,
    { cause: error },
  );
}
