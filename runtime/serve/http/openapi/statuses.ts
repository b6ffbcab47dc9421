import type { ErrorCode } from '#contract/errors.ts';

/** The meaning of an error status, with an example message. */
export const ERROR_STATUSES = {
  400: {
    code: 'MalformedError',
    meaning: 'The body is not valid JSON.',
    example: 'The body is not valid JSON: unexpected end of input.',
  },
  401: {
    code: 'UnauthorizedError',
    meaning: 'The API key is missing or invalid.',
    example: 'Missing API key. Send the header `Authorization: Bearer <key>`.',
  },
  402: {
    code: 'PaymentRequiredError',
    meaning: 'The model has no price, but the server requires one.',
    example: "No pricing is configured for model 'openai:new'.",
  },
  403: {
    code: 'ForbiddenError',
    meaning: 'The API key does not permit this request, or the server does not support it.',
    example: 'tool not allowed: time/format_disk',
  },
  404: {
    code: 'NotFoundError',
    meaning: 'The resource does not exist.',
    example: 'No such path: GET /nothing',
  },
  408: {
    code: 'SlowRequestError',
    meaning: 'The body did not arrive within the timeout.',
    example: 'request body read timeout',
  },
  409: {
    code: 'ConflictError',
    meaning: 'A resource with this name already exists, or the resource is in use.',
    example: "User with id 'ada' already exists",
  },
  413: {
    code: 'TooLargeError',
    meaning: 'The body is too large.',
    example: 'Body too large: the maximum is 1000000 bytes.',
  },
  415: {
    code: 'UnsupportedMediaError',
    meaning: 'The content type is not application/json.',
    example: 'Unsupported content type: found none. Send the header `Content-Type: application/json`.',
  },
  422: {
    code: 'InputError',
    meaning: 'The body is valid JSON, but does not match the schema.',
    example: 'inputs is missing',
  },
  429: {
    code: 'OverloadedError',
    meaning: 'The server is overloaded or a rate limit is exceeded; see Retry-After.',
    example: 'The model is overloaded. Retry in a second.',
  },
  500: {
    code: 'InternalError',
    meaning: 'Internal server error.',
    example: 'Internal error',
  },
  501: {
    code: 'NotImplementedError',
    meaning: 'The upstream server does not support this.',
    example: 'prompts not implemented by server: time',
  },
  502: {
    code: 'UpstreamError',
    meaning: 'The upstream server failed.',
    example: 'MCP server error calling tool',
  },
  503: {
    code: 'UnavailableError',
    meaning: 'The server is starting or shutting down; see Retry-After.',
    example: 'The server is shutting down.',
  },
  504: {
    code: 'TimeoutError',
    meaning: 'The upstream server did not respond in time.',
    example: 'MCP server did not answer in time',
  },
} as const satisfies Record<number, { code: ErrorCode; meaning: string; example: string }>;

export type ErrorStatus = keyof typeof ERROR_STATUSES;

/** Error statuses of all routes that accept a body and process it. */
export const WORK_ERRORS: readonly ErrorStatus[] = [400, 413, 415, 422, 429, 500, 503];

/** Error statuses of all routes that read a body. */
export const BODY_ERRORS: readonly ErrorStatus[] = [400, 408, 413, 415, 422];
