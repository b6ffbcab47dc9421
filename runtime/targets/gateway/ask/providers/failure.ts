import { AppError, type ErrorCode } from '../../../../contract/errors.ts';
import type { AbandonedAnswer, ErrorText, FailedAnswer, FailureKind, ProviderFailure } from './provider.ts';
import { describeThrown } from './failure-detail.ts';
import type { Redact } from './redact.ts';

interface FailureWords {
  readonly code: ErrorCode;
  /** For programs. */
  readonly reason: string;
  /** What clients read, unless the provider's own words are shown. */
  readonly message: string;
  /** Whether what is said of it more closely is about the request, and so the client's business. */
  readonly showsProvider?: boolean;
}

const WORDS: Readonly<Record<FailureKind, FailureWords>> = {
  bad_request: {
    code: 'MalformedError',
    reason: 'provider_refused',
    message: 'The provider refused the request',
    showsProvider: true,
  },
  model_not_found: {
    code: 'NotFoundError',
    reason: 'model_not_found',
    message: 'The provider does not have it',
    showsProvider: true,
  },
  unsupported: {
    code: 'MalformedError',
    reason: 'unsupported',
    message: 'The provider cannot do that',
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
    message: "The provider refused the gateway's account",
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
    message: "The provider's answer is too large",
    showsProvider: true,
  },
  stream_incomplete: {
    code: 'UpstreamError',
    reason: 'upstream_stream_incomplete',
    message: 'LLM provider error',
  },
  cancelled: { code: 'CancelledError', reason: 'client_left', message: 'The client has left.' },
};

export interface FailureFacts {
  readonly upstreamStatus?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The provider's words, already without secrets. */
  readonly text?: string | undefined;
  readonly cause?: unknown;
  readonly detail?: string | undefined;
  readonly isPaid?: boolean;
  readonly abandoned?: AbandonedAnswer | undefined;
}

export function failure(kind: FailureKind, facts: FailureFacts = {}): FailedAnswer {
  const { code, reason, message, showsProvider = false } = WORDS[kind];
  const { text, cause, retryAfterSeconds, upstreamStatus, detail, isPaid = false, abandoned } = facts;
  const told = showsProvider && text ? text : message;
  const error = new AppError(code, told, { cause, reason, retryAfterSeconds });
  return {
    kind: 'failed',
    failure: { kind, error, upstreamStatus, retryAfterSeconds, text, detail, isPaid, abandoned },
  };
}

export interface RefusedAnswer {
  readonly status: number;
  readonly retryAfter: string | readonly string[] | undefined;
  readonly said: ErrorText;
  readonly detail: string;
  readonly redact: Redact;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a status means, and what the provider says of it. */
export function refusedAnswer({
  status,
  retryAfter,
  said,
  detail,
  redact,
  now,
}: RefusedAnswer): FailedAnswer {
  const text = said.message === undefined ? undefined : redact(said.message);
  return failure(kindOf(status, said), {
    upstreamStatus: status,
    retryAfterSeconds: readRetryAfter(retryAfter, now),
    text,
    detail,
  });
}

/** `budget_exceeded` and `estimate_exceeds_budget` are codes of this gateway. */
const BILLING =
  /insufficient_quota|budget_exceeded|exceeds_budget|billing|credit balance|payment|balance is too low|insufficient balance/i;
const OVERLOADED = /overloaded|resource_exhausted/i;
const RATE_LIMITED = /rate_limit|rate limit|too many requests/i;

function kindOf(status: number, { code = '', message = '' }: ErrorText): FailureKind {
  const said = `${code} ${message}`;
  if (status === 402 || ((status === 429 || status === 403 || status === 400) && BILLING.test(said)))
    return 'billing';
  // Gemini refuses wrong keys so.
  if (status === 400 && /api[_ ]key[_ ](?:invalid|not valid)/i.test(said)) return 'credentials';
  if (status === 400 || status === 422) return 'bad_request';
  if (status === 401 || status === 403) return 'credentials';
  if (status === 404) return 'model_not_found';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 413) return 'too_large';
  if (status === 429) return 'rate_limited';
  // Anthropic's own status.
  if (status === 529 || (status === 200 && OVERLOADED.test(said))) return 'overloaded';
  if (status === 200 && RATE_LIMITED.test(said)) return 'rate_limited';
  if (status === 501) return 'unsupported';
  return 'provider_error';
}

/** Clients wait as long as they are told, and nobody means more than a day. */
const LONGEST_PAUSE_SECONDS = 86_400;

/** Seconds, or a date. @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function readRetryAfter(header: string | readonly string[] | undefined, now: number): number | undefined {
  const text = (typeof header === 'string' ? header : header?.[0])?.trim();
  if (!text) return undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  if (!Number.isFinite(seconds)) return undefined;
  return Math.min(LONGEST_PAUSE_SECONDS, Math.max(0, Math.ceil(seconds)));
}

export const isFailed = (value: object): value is FailedAnswer => 'kind' in value && value.kind === 'failed';

/** What is sent to the provider, or why the request cannot be put into its words. */
export function requestOr<Request extends object>(make: () => Request): Request | FailedAnswer {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const kind = error.code === 'NotImplementedError' ? 'unsupported' : 'bad_request';
    return failure(kind, { text: error.message, cause: error });
  }
}

/** A failure from what was thrown on the way. */
export function thrownFailure(
  error: unknown,
  facts: { hasLeft: boolean; timedOut: boolean; redact: Redact },
): ProviderFailure {
  if (facts.hasLeft) return failure('cancelled').failure;
  const detail = facts.redact(describeThrown(error));
  if (facts.timedOut) return failure('timeout', { cause: error, detail }).failure;
  if (error instanceof AppError && error.code === 'TooLargeError')
    return failure('answer_too_large', { text: error.message, cause: error, detail }).failure;
  const kind: FailureKind =
    error instanceof AppError
      ? error.code === 'UpstreamError'
        ? 'stream_incomplete'
        : 'provider_error'
      : 'unreachable';
  // An answer of success whose bytes are not what its headers say.
  const isPaid = error instanceof AppError && error.code === 'MalformedError';
  return failure(kind, { cause: error, detail, isPaid }).failure;
}
