import { lookup } from '#core/values/lookup.ts';
import type { Context } from 'hono';
import type { AppError, ErrorCode, ErrorDetail } from '#contract/errors.ts';
import type { ErrorFormat } from '#serve/http/error-response.ts';
import { openAiErrorType } from '#serve/http/openai-error.ts';
import { budgetErrorOf, isBudgetError } from '../../requests/completions/budget-errors.ts';
import { API } from './parts.ts';
import { securityHeaders } from './security-headers.ts';

/** The error format for all paths that do not have their own. */
export const GATEWAY_ERRORS: ErrorFormat = {
  prefix: '',
  status: budgetStatus,
  body: (error, status, c) => errorBody(error, status, c.req.path),
};

/**
 * The status of an error that a budget caused. A header is also set; clients that know it do not retry the
 * request.
 */
function budgetStatus(error: AppError, c: Context): number | undefined {
  if (isBudgetError(error)) c.header('X-Should-Retry', 'false');
  return budgetErrorOf(error, c.req.path)?.status;
}

interface ErrorBody {
  readonly type?: 'error';
  readonly detail: string;
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
  };
}

/**
 * Creates an error body. Clients of the reference implementation read `detail`, and clients of OpenAI's API
 * read `error`. On the paths of Anthropic's API, the body has Anthropic's format.
 */
export function errorBody(error: AppError, status: number, path: string): ErrorBody {
  const isAnthropic = /^\/v1\/messages(?:\/count_tokens)?\/?$/.test(path);
  const message = isAnthropic && error.reason === 'user_required' ? ANTHROPIC_USER_REQUIRED : error.message;
  return {
    ...(isAnthropic && { type: 'error' }),
    detail: message,
    error: {
      message,
      type:
        budgetErrorOf(error, path)?.type ??
        (isAnthropic ? anthropicErrorType(status) : openAiErrorType(status)),
      code: error.reason ?? DEFAULT_REASONS[error.code],
      param: parameterOf(error),
    },
  };
}

/** The response to a malformed HTTP request, whose path is unknown. */
export const malformedRequestAnswer = (error: AppError, status: number): Response =>
  Response.json(errorBody(error, status, ''), { status, headers: securityHeaders('') });

/**
 * Returns the member or parameter with the first problem, e.g. `messages[0].role`; null if the error is not
 * about a member or parameter.
 */
function parameterOf({ details = [] }: AppError): string | null {
  const [, path] = /^(?:body|query|path)\.(.+)$/s.exec(details[0]?.location ?? '') ?? [];
  return path?.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]') ?? null;
}

function anthropicErrorType(status: number): string {
  return ANTHROPIC_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** Anthropic's API has no `user` member, so the message for other paths would be misleading. */
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

/** Stable error codes for errors that do not have a more specific reason. */
const DEFAULT_REASONS: Readonly<Record<ErrorCode, string>> = {
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

/**
 * The error format of `/api/v1`, which lists all problems in a request, as in the reference implementation.
 */
export const API_ERRORS: ErrorFormat = {
  prefix: API,
  body: (error, status, c) => apiErrorBody(error, status, c.req.path),
};

export function apiErrorBody(error: AppError, status: number, path: string): object {
  const body = errorBody(error, status, path);
  if (status !== 422) return body;
  const { message, details = [{ message }] } = error;
  return { ...body, detail: details.map(problemOf) };
}

const problemOf = ({ message, location = 'body', value, rule }: ErrorDetail): object => ({
  type: TYPES[rule ?? ''] ?? 'value_error',
  loc: location.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step)),
  msg: message,
  input: value ?? null,
});

/** Problem types, with the names that clients of the reference implementation expect. */
const TYPES = lookup<string>({
  required: 'missing',
  additionalProperties: 'extra_forbidden',
  enum: 'enum',
  const: 'literal_error',
  type: 'type_error',
  minimum: 'greater_than_equal',
  exclusiveMinimum: 'greater_than',
  maximum: 'less_than_equal',
  exclusiveMaximum: 'less_than',
  minLength: 'string_too_short',
  maxLength: 'string_too_long',
  minItems: 'too_short',
  maxItems: 'too_long',
});
