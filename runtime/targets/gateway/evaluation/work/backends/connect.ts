import { AppError, messageOf } from '#contract/errors.ts';
import { retryDelay } from '#core/limits/retry-delay.ts';
import type { FailureKind, ProviderAdapter, ProviderFailure } from '../../../providers/adapters/provider.ts';
import type { Upstream } from '../../../providers/adapters/upstream.ts';
import { createExchange, isFailed } from '../../../providers/adapters/exchange.ts';
import { createRedact } from '../../../providers/adapters/redact.ts';
import { pause } from '#platform/wait-for.ts';
import { jobPause } from '../job-pause.ts';
import { type Pacing, RATE_RETRIES, RESTART_RETRIES, ROW_RETRIES } from '../pacing.ts';
import { WORK_LIMITS, notPublic } from './address.ts';
import type { RequestSlots } from './request-slots.ts';
import { errorCode } from '#core/values/error-code.ts';

interface Parts {
  /** Name for messages. */
  readonly name: string;
  readonly upstream: Upstream;
  readonly adapter: ProviderAdapter;
  readonly apiKey: string | undefined;
  /** Limits concurrent requests; undefined if the caller does that itself. */
  readonly slots?: RequestSlots;
}

type Json = Readonly<Record<string, unknown>>;

export interface BackendResponse {
  readonly json: Json;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Duration of the successful request, excluding earlier attempts and waiting. */
  readonly latencyMs: number;
}

export interface BackendConnection {
  /**
   * Sends a request, retrying temporary failures. Throws an AppError if all attempts fail, or one that pauses
   * the job if its budget is exhausted or the model requires a long delay.
   */
  request(
    options: { readonly path: string; readonly body?: Json },
    signal: AbortSignal,
  ): Promise<BackendResponse>;
  readonly close: () => Promise<void>;
}

const RESPONSE_MS = 300_000;
const INSPECTION_MS = 10_000;
/** How long an ended job waits for responses. */
const DRAIN_MS = 10_000;

/** Connects to a model over HTTP. */
export function connect(
  { name, upstream, adapter, apiKey, slots }: Parts,
  { clock, random }: Pacing,
): BackendConnection {
  const redact = createRedact([apiKey]);
  const exchange = createExchange({ upstream, adapter, limits: WORK_LIMITS, clock, redact });
  return {
    async request({ path, body }, signal) {
      const bytes = body && Buffer.from(JSON.stringify(body));
      const request = { method: body ? 'POST' : 'GET', path, body: bytes } as const;
      const timeoutMs = body ? RESPONSE_MS : INSPECTION_MS;
      for (let retries = 0; ; retries++) {
        const slot = await slots?.take(signal, retries > 0);
        const startedAt = clock.now();
        const answer = await exchange.json(
          request,
          { signal, timeoutMs },
          ({ json, headers }): BackendResponse => {
            return { json, headers, latencyMs: clock.now() - startedAt };
          },
        );
        const failure = isFailed(answer) ? answer.failure : undefined;
        const wait =
          failure && isTemporary(failure) ? pauseBefore(retries, failure, body !== undefined) : undefined;
        const isLimited = slot !== undefined && failure?.kind === 'rate_limited';
        if (isLimited && wait !== undefined) slot.rateLimited(wait);
        slot?.release(failure === undefined);
        if (!isFailed(answer)) return answer;
        signal.throwIfAborted();
        if (wait === undefined) throw finalError(name, answer.failure);
        if (!isLimited) await pause(wait, clock, signal);
        signal.throwIfAborted();
      }
    },
    async close() {
      await drain();
      await upstream.close();
    },
  };

  /** Lets sent requests finish: their responses are paid for, and are kept for a later attempt. */
  async function drain(): Promise<void> {
    const ended = slots?.close();
    if (!ended) return;
    const over = new AbortController();
    void ended.then(() => over.abort());
    await pause(DRAIN_MS, clock, over.signal);
  }

  /** Requests with rows wait longer for a restarting server than requests that inspect a model. */
  function pauseBefore(retries: number, failure: ProviderFailure, hasRows: boolean): number | undefined {
    const { kind, upstreamStatus, retryAfterSeconds } = failure;
    const isDownNow = kind === 'unreachable' || upstreamStatus === 503 || isDown(failure);
    const requested = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
    const policy = kind === 'rate_limited' ? RATE_RETRIES : ROW_RETRIES;
    return retryDelay(retries, requested, random, hasRows && isDownNow ? RESTART_RETRIES : policy);
  }
}

/**
 * The error for a request that is not retried. If there is no money, or a request limit applies, other rows
 * would fail in the same way.
 */
function finalError(name: string, failure: ProviderFailure): AppError {
  const error = backendError(name, failure);
  const { kind, retryAfterSeconds } = failure;
  const mustWait = kind === 'rate_limited' || isSpent(failure);
  return mustWait ? jobPause(error.message, retryAfterSeconds, error) : error;
}

const TEMPORARY_FAILURES: ReadonlySet<FailureKind> = new Set([
  'rate_limited',
  'timeout',
  'unreachable',
  'provider_error',
  'stream_incomplete',
]);

const isTemporary = (failure: ProviderFailure): boolean =>
  TEMPORARY_FAILURES.has(failure.kind) && !isRefusedAddress(failure);

/** Whether a call failed because the address is not allowed. */
const isRefusedAddress = ({ error }: ProviderFailure): boolean => hasCause(error, 'ConfigError');

/** Whether a call failed because a started executable has exited and is being restarted. */
const isDown = ({ error }: ProviderFailure): boolean => hasCause(error, 'UnavailableError');

/** Whether a call failed because a budget or account is exhausted. Requests succeed again once it has money. */
const isSpent = ({ kind, text = '' }: ProviderFailure): boolean =>
  kind === 'billing' && !NEVER_AFFORDABLE.test(text);

/** The gateway's messages for requests that no payment into the same budget allows. */
const NEVER_AFFORDABLE = /has no price|has a budget of/;

const hasCause = ({ cause }: AppError, code: AppError['code']): boolean =>
  cause instanceof AppError && cause.code === code;

/**
 * The error for a failed call, for the user who configured the backend. It has more details than gateway
 * clients get.
 */
function backendError(name: string, failure: ProviderFailure): AppError {
  if (isRefusedAddress(failure)) return notPublic(name, failure.error.cause);
  const { error, retryAfterSeconds } = failure;
  const sentence = isDown(failure) ? messageOf(error.cause) : sentenceOf(name, failure);
  return new AppError(error.code, sentence, { cause: error, reason: error.reason, retryAfterSeconds });
}

function sentenceOf(name: string, { kind, error, text, upstreamStatus }: ProviderFailure): string {
  const detail = text === undefined ? '' : `: ${text}`;
  const status = upstreamStatus === undefined ? '' : ` with status ${upstreamStatus}`;
  const sentences: Partial<Record<FailureKind, string>> = {
    unreachable: `${name} is unreachable${codeOf(error.cause)}.`,
    timeout: `${name} did not respond in time.`,
    rate_limited: `${name} rate-limited the request${detail}`,
    provider_error: status ? `${name} failed${status}${detail}` : `${name} returned an invalid response.`,
    answer_too_large: `${name} returned a response that is too large.`,
    credentials: `${name} ${upstreamStatus === 403 ? 'denied access' : 'rejected the credential'}${status}${detail}`,
    billing: /\bbudget\b/i.test(detail)
      ? `The budget is too small for the request to ${lowerFirst(name)}${detail}`
      : `${name} rejected the account${status}${detail}`,
  };
  return sentences[kind] ?? `${name} rejected the request${status}${detail || `: ${error.message}`}`;
}

const lowerFirst = (name: string): string => name.replace(/^The /, 'the ');

function codeOf(cause: unknown): string {
  const code = cause instanceof Error ? errorCode(cause) : undefined;
  return code === undefined ? '' : ` (${code})`;
}
