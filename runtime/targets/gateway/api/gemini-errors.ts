import type { AppError } from '#contract/errors.ts';
import type { ErrorFormat } from '#serve/http/error-response.ts';
import { errorBody, GATEWAY_ERRORS } from './http/errors.ts';

/** Path of Gemini's own API. */
export const GEMINI_PATH = '/v1beta';

export const METHODS = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
] as const;

/** A model and a method at the end of a path, e.g. `gemini:gemini-2.5-flash:generateContent`. */
interface GeminiCall {
  readonly model: string;
  readonly method: (typeof METHODS)[number];
}

/** Undefined for a method that the gateway does not support. Model names can contain colons and slashes. */
export function geminiCallOf(path: string): GeminiCall | undefined {
  const at = path.lastIndexOf(':');
  const method = METHODS.find((one) => one === path.slice(at + 1));
  return method && at > 0 ? { model: path.slice(0, at), method } : undefined;
}

interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
}

/**
 * Whether a request uses Gemini's API. Newer Gemini clients use `/v1`, under which OpenAI's API also lists
 * models. These clients are recognized because they send their key in one of Google's headers.
 */
const isGeminiRequest = ({ method, path, header }: RequestFacts): boolean =>
  path.startsWith(`${GEMINI_PATH}/`) ||
  (path.startsWith('/v1/models') &&
    (Boolean(header('x-goog-api-key')) || (method === 'POST' && geminiCallOf(path) !== undefined)));

/** The error format for the paths of models, which depends on the API that the request uses. */
export const CLIENT_ERRORS: ErrorFormat = {
  ...GATEWAY_ERRORS,
  body: (error, status, c) => {
    const { method, path } = c.req;
    const isGemini = isGeminiRequest({ method, path, header: (name) => c.req.header(name) });
    return isGemini ? geminiErrorBody(error, status, path) : GATEWAY_ERRORS.body(error, status, c);
  },
};

/**
 * The error in the Gemini API's format, with `detail` as on all other paths. `reason` is the gateway's
 * error code.
 */
export function geminiErrorBody(error: AppError, status: number, path: string): object {
  const { detail, error: own } = errorBody(error, status, path);
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: own.code, domain: 'gateway' };
  return {
    detail,
    error: { code: status, message: own.message, status: STATUSES[status] ?? 'UNKNOWN', details: [info] },
  };
}

/** Google's status code names. @see https://cloud.google.com/apis/design/errors */
const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};
