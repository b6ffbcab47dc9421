import { AppError, type ErrorCode } from '#contract/errors.ts';
import type { AbandonedAnswer, ErrorText, FailedAnswer, FailureKind, ProviderFailure } from './provider.ts';
import { isAccessRefused } from './access/access.ts';
import type { Redact } from './redact.ts';
import { errorCode } from '#core/values/error-code.ts';

interface FailureDefinition {
  readonly code: ErrorCode;
  /** The machine-readable reason in error bodies. */
  readonly reason: string;
  /** The message for clients, unless the provider's own message is shown. */
  readonly message: string;
  /** Whether clients see the provider's message, because it concerns their request. */
  readonly showsProvider?: boolean;
}

const FAILURES: Readonly<Record<FailureKind, FailureDefinition>> = {
  bad_request: {
    code: 'MalformedError',
    reason: 'provider_refused',
    message: 'The provider rejected the request',
    showsProvider: true,
  },
  content_filtered: {
    code: 'MalformedError',
    reason: 'content_filter',
    message: 'The provider filtered the request',
    showsProvider: true,
  },
  model_not_found: {
    code: 'NotFoundError',
    reason: 'model_not_found',
    message: 'The provider does not have this model',
    showsProvider: true,
  },
  unsupported: {
    code: 'MalformedError',
    reason: 'unsupported',
    message: 'The provider does not support this request',
    showsProvider: true,
  },
  too_large: {
    code: 'TooLargeError',
    reason: 'too_large',
    message: 'The request is too large for the provider',
    showsProvider: true,
  },
  credentials: {
    code: 'UpstreamError',
    reason: 'provider_credentials',
    message: "The provider rejected the gateway's credentials",
  },
  billing: {
    code: 'UpstreamError',
    reason: 'provider_billing',
    message: "The gateway's account at the provider has a billing problem",
  },
  rate_limited: {
    code: 'OverloadedError',
    reason: 'provider_rate_limited',
    message: 'The provider rate-limited this request',
  },
  overloaded: {
    code: 'UnavailableError',
    reason: 'provider_overloaded',
    message: 'The provider is overloaded. Retry later',
  },
  timeout: { code: 'TimeoutError', reason: 'provider_timeout', message: 'LLM provider timeout' },
  unreachable: { code: 'UpstreamError', reason: 'provider_unreachable', message: 'LLM provider error' },
  provider_error: { code: 'UpstreamError', reason: 'provider_error', message: 'LLM provider error' },
  answer_too_large: {
    code: 'UpstreamError',
    reason: 'answer_too_large',
    message: "The provider's response is too large",
    showsProvider: true,
  },
  stream_incomplete: {
    code: 'UpstreamError',
    reason: 'upstream_stream_incomplete',
    message: 'LLM provider error',
  },
  cancelled: { code: 'CancelledError', reason: 'client_left', message: 'Client disconnected.' },
};

interface FailureFacts {
  readonly upstreamStatus?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The provider's message, with secrets already removed. */
  readonly text?: string | undefined;
  readonly cause?: unknown;
  readonly detail?: string | undefined;
  readonly isPaid?: boolean;
  readonly abandoned?: AbandonedAnswer | undefined;
}

export function failure(kind: FailureKind, facts: FailureFacts = {}): FailedAnswer {
  const { code, reason, message, showsProvider = false } = FAILURES[kind];
  const { text, cause, retryAfterSeconds, upstreamStatus, detail, isPaid = false, abandoned } = facts;
  const shown = showsProvider && text ? text : message;
  const error = new AppError(code, shown, { cause, reason, retryAfterSeconds });
  return {
    kind: 'failed',
    failure: { kind, error, upstreamStatus, retryAfterSeconds, text, detail, isPaid, abandoned },
  };
}

interface RefusedAnswer {
  readonly status: number;
  readonly retryAfter: string | readonly string[] | undefined;
  readonly errorText: ErrorText;
  readonly detail: string;
  readonly redact: Redact;
  /** Current time in milliseconds since 1970. */
  readonly now: number;
}

/** The failure for a response with an error status, based on the status and the provider's message. */
export function refusedAnswer({
  status,
  retryAfter,
  errorText,
  detail,
  redact,
  now,
}: RefusedAnswer): FailedAnswer {
  const text = errorText.message === undefined ? undefined : redact(errorText.message);
  return failure(kindOf(status, errorText), {
    upstreamStatus: status,
    retryAfterSeconds: readRetryAfter(retryAfter, now),
    text,
    detail,
  });
}

/**
 * Matches billing errors. `budget_exceeded` and `estimate_exceeds_budget` are codes of this gateway, which
 * can itself be the upstream.
 */
const BILLING =
  /insufficient_quota|budget_exceeded|exceeds_budget|billing|credit balance|payment|balance is too low|insufficient balance/i;

const OVERLOADED = /overloaded|resource_exhausted/i;

/** Azure's code for a prompt that was rejected by its content filter. */
const CONTENT_FILTER = /\bcontent_filter\b/;

/** The code of servers that return 400 instead of 404, and of this gateway if it is the upstream. */
const MODEL_NOT_FOUND = /\bmodel_not_found\b/;

const RATE_LIMITED = /rate_limit|rate limit|too many requests/i;

function kindOf(status: number, { code = '', message = '' }: ErrorText): FailureKind {
  const text = `${code} ${message}`;
  if (status === 402 || ((status === 429 || status === 403 || status === 400) && BILLING.test(text)))
    return 'billing';
  // Gemini returns 400 for an invalid API key.
  if (status === 400 && /api[_ ]key[_ ](?:invalid|not valid)/i.test(text)) return 'credentials';
  if (status === 400 && MODEL_NOT_FOUND.test(code)) return 'model_not_found';
  if (status === 400 && CONTENT_FILTER.test(code)) return 'content_filtered';
  if (status === 400 || status === 422) return 'bad_request';
  if (status === 401 || status === 403) return 'credentials';
  if (status === 404) return 'model_not_found';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 413) return 'too_large';
  if (status === 429) return 'rate_limited';
  // Only Anthropic uses 529, which means that its API is overloaded.
  if (status === 529 || (status === 200 && OVERLOADED.test(text))) return 'overloaded';
  if (status === 200 && RATE_LIMITED.test(text)) return 'rate_limited';
  if (status === 501) return 'unsupported';
  return 'provider_error';
}

/**
 * Maximum `Retry-After` that is passed to clients. Longer delays are assumed to be mistakes by the
 * provider.
 */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/**
 * Parses `Retry-After`, which is a number of seconds or a date. @see
 * https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
function readRetryAfter(header: string | readonly string[] | undefined, now: number): number | undefined {
  const text = (typeof header === 'string' ? header : header?.[0])?.trim();
  if (!text) return undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  if (!Number.isFinite(seconds)) return undefined;
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(0, Math.ceil(seconds)));
}

/** The failure for an error thrown during a call. */
export function thrownFailure(
  error: unknown,
  facts: { isCancelled: boolean; timedOut: boolean; redact: Redact },
): ProviderFailure {
  if (facts.isCancelled) return failure('cancelled').failure;
  const detail = facts.redact(describeThrown(error));
  if (facts.timedOut) return failure('timeout', { cause: error, detail }).failure;
  if (error instanceof AppError && error.code === 'TooLargeError')
    return failure('answer_too_large', { text: error.message, cause: error, detail }).failure;
  if (isAccessRefused(error))
    return failure('credentials', { text: facts.redact(error.message), cause: error, detail }).failure;
  const kind: FailureKind =
    error instanceof AppError
      ? error.code === 'UpstreamError'
        ? 'stream_incomplete'
        : 'provider_error'
      : 'unreachable';
  // The provider responded with a successful status, but the body cannot be decoded as its headers specify.
  const isPaid = error instanceof AppError && error.code === 'MalformedError';
  return failure(kind, { cause: error, detail, isPaid }).failure;
}

/**
 * Maximum number of body bytes in a log message, which is enough to distinguish an API's error from a
 * proxy's error page.
 */
const MAX_BODY_BYTES = 1000;

/**
 * Describes an error for logs and administrators: its class, code and message, and those of its causes.
 */
function describeThrown(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at instanceof Error && parts.length < MAX_CAUSES; at = at.cause)
    parts.push(describe(at));
  return parts.length === 0 ? String(error) : parts.join(', caused by ');
}

const MAX_CAUSES = 4;

function describe(error: Error): string {
  // Node throws an AggregateError when a host has several addresses and none accepts the connection.
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map((one) => describeThrown(one)).join('; ');
  const code = errorCode(error);
  const name = code !== undefined && !error.message.includes(code) ? `${error.name} ${code}` : error.name;
  return error.message === '' ? name : `${name}: ${error.message}`;
}

/**
 * Describes a provider's response for logs and administrators: its status and its body, truncated and
 * without secrets.
 */
export function describeAnswer(status: number, body: Uint8Array, redact: Redact): string {
  const text = Buffer.from(body.subarray(0, MAX_BODY_BYTES)).toString('utf8');
  return redact(text === '' ? `status ${status} without a body` : `status ${status}: ${text}`);
}
