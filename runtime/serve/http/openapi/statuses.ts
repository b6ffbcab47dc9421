import type { ErrorCode } from '../../../contract/errors.ts';

/** What an error status means, and a message that comes with it. */
export const ERROR_STATUSES = {
  400: {
    code: 'MalformedError',
    meaning: 'The body is not JSON.',
    example: 'The body is not valid JSON: it ends too early.',
  },
  401: {
    code: 'UnauthorizedError',
    meaning: 'The API key is missing or wrong.',
    example: 'This server needs an API key: send the header `Authorization: Bearer <key>`.',
  },
  402: {
    code: 'PaymentRequiredError',
    meaning: 'The model has no price, and the server asks for one.',
    example: "No pricing is configured for model 'openai:new'.",
  },
  403: {
    code: 'ForbiddenError',
    meaning: 'The key does not allow this, or the server does not offer it.',
    example: 'tool not allowed: time/format_disk',
  },
  404: { code: 'NotFoundError', meaning: 'There is no such thing.', example: 'No such path: GET /nothing' },
  408: {
    code: 'SlowRequestError',
    meaning: 'The body did not arrive in time.',
    example: 'request body read timeout',
  },
  409: {
    code: 'ConflictError',
    meaning: 'Something of that name is there already, or is still in use.',
    example: "User with id 'ada' already exists",
  },
  413: {
    code: 'TooLargeError',
    meaning: 'The body is too large.',
    example: 'The body is larger than 1000000 bytes, the most this server takes.',
  },
  415: {
    code: 'UnsupportedMediaError',
    meaning: 'The body is not sent as JSON.',
    example: 'The request needs the header `Content-Type: application/json`; found none.',
  },
  422: {
    code: 'InputError',
    meaning: 'The body is JSON, but not what is expected.',
    example: 'inputs is missing',
  },
  429: {
    code: 'OverloadedError',
    meaning: 'Too much is waiting already; the header Retry-After says when to try again.',
    example: 'The model is busy. Try again in a second.',
  },
  500: {
    code: 'InternalError',
    meaning: 'It failed, and not through the request.',
    example: 'Internal error',
  },
  501: {
    code: 'NotImplementedError',
    meaning: 'This is nothing that server can do.',
    example: 'prompts not implemented by server: time',
  },
  502: {
    code: 'UpstreamError',
    meaning: 'The server behind this one failed.',
    example: 'MCP server error calling tool',
  },
  503: {
    code: 'UnavailableError',
    meaning: 'The server is starting or shutting down; the header Retry-After says when to try again.',
    example: 'The server is shutting down.',
  },
  504: {
    code: 'TimeoutError',
    meaning: 'The server behind this one did not answer in time.',
    example: 'MCP server did not answer in time',
  },
} as const satisfies Record<number, { code: ErrorCode; meaning: string; example: string }>;

export type ErrorStatus = keyof typeof ERROR_STATUSES;

/** Of every route that takes a body and has work to do. */
export const WORK_ERRORS: readonly ErrorStatus[] = [400, 413, 415, 422, 429, 500, 503];

/** Of every route that reads a body. */
export const BODY_ERRORS: readonly ErrorStatus[] = [400, 408, 413, 415, 422];
