import { Type } from 'typebox';
import type { AppError, ErrorCode } from '#contract/errors.ts';
import type { ErrorFormat } from './error-response.ts';

/** Error format of OpenAI's API. */
export const OPENAI_ERRORS: ErrorFormat = { prefix: '/v1', body: openAiErrorBody };

export function openAiErrorBody({ code, message }: AppError, status: number): object {
  return { error: { message, type: openAiErrorType(status), param: null, code: CODES[code] ?? null } };
}

const textOrNull = Type.Unsafe<string | null>({ type: 'string', nullable: true });

export const OPENAI_ERROR = Type.Object(
  {
    error: Type.Object({ message: Type.String(), type: Type.String(), param: textOrNull, code: textOrNull }),
  },
  { $id: 'OpenAiError' },
);

const CODES: Partial<Record<ErrorCode, string>> = {
  UnauthorizedError: 'invalid_api_key',
  NotFoundError: 'not_found',
  OverloadedError: 'rate_limit_exceeded',
};

/** OpenAI's error type for a status. */
export function openAiErrorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
