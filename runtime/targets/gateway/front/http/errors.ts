import type { AppError, ErrorCode } from '../../../../contract/errors.ts';
import type { ErrorFormat } from '../../../../serve/http/error-response.ts';
import { openAiErrorType } from '../../../../serve/http/openai-error.ts';
import { securityHeaders } from './security-headers.ts';

/** All errors of the gateway, whatever the path. */
export const GATEWAY_ERRORS: ErrorFormat = {
  prefix: '',
  body: (error, status, c) => errorBody(error, status, c.req.path),
};

/**
 * `detail` is what clients of the service before read, `error` what clients of OpenAI's API read; on the path of Anthropic's API
 * it is what those clients read.
 */
export function errorBody(error: AppError, status: number, path: string): object {
  const isAnthropic = /^\/v1\/messages\/?$/.test(path);
  const message = isAnthropic && error.reason === 'user_required' ? ANTHROPIC_USER_REQUIRED : error.message;
  return {
    ...(isAnthropic ? { type: 'error' } : {}),
    detail: message,
    error: {
      message,
      type: isAnthropic ? anthropicErrorType(status) : openAiErrorType(status),
      code: error.reason ?? WORDS[error.code],
      param: parameterOf(error),
    },
  };
}

/** What a client gets that sent something which is no request to any path. */
export const errorWithoutPath = (error: AppError, status: number): Response =>
  Response.json(errorBody(error, status, ''), { status, headers: securityHeaders('') });

/** What the first problem is about, if it is about a member of the body or a parameter: `messages[0].role`. */
function parameterOf({ details = [] }: AppError): string | null {
  const [, path] = /^(?:body|query|path)\.(.+)$/s.exec(details[0]?.location ?? '') ?? [];
  return path?.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]') ?? null;
}

function anthropicErrorType(status: number): string {
  return ANTHROPIC_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** There `user` is no member: whoever sent one would be told the same again. */
const ANTHROPIC_USER_REQUIRED = "When using master key, 'metadata.user_id' field is required in request body";

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** Stable words for programs, where an error has none of its own. */
const WORDS: Readonly<Record<ErrorCode, string>> = {
  InputError: 'invalid_request',
  InternalError: 'internal_error',
  ConfigError: 'internal_error',
  MalformedError: 'malformed_request',
  UnsupportedMediaError: 'unsupported_media_type',
  TooLargeError: 'request_too_large',
  SlowRequestError: 'request_timeout',
  NotFoundError: 'not_found',
  MethodError: 'method_not_allowed',
  UnauthorizedError: 'invalid_key',
  PaymentRequiredError: 'pricing_required',
  ForbiddenError: 'forbidden',
  ConflictError: 'conflict',
  OverloadedError: 'rate_limited',
  UnavailableError: 'unavailable',
  CancelledError: 'cancelled',
  NotImplementedError: 'not_implemented',
  UpstreamError: 'provider_error',
  TimeoutError: 'provider_timeout',
};
