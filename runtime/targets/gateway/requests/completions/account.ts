import { AppError } from '#contract/errors.ts';
import { OpenList } from '#core/limits/open-list.ts';
import type { Clock } from '#platform/clock.ts';
import type { Lifecycle } from '#serve/lifecycle.ts';
import type { Logger } from '#serve/log.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type {
  Estimate,
  Ledger,
  QueueWait,
  RateState,
  Reservation,
  UsageEntry,
} from '../../accounts/ledger/ledger.ts';
import type { Objects } from '../../accounts/objects/objects.ts';
import type { Attempt } from '../routing/routing.ts';
import type { AnswerSummary } from '../../providers/streams/stream.ts';
import type { RequestTrace } from '#serve/telemetry/request-trace.ts';
import type { Telemetry } from './telemetry.ts';
import { settleAbandoned } from './abandoned-answers.ts';
import {
  completionEvent,
  settleRequest,
  usageRequestId,
  warnUncounted,
  type Admitted,
  usageLines,
  type Outcome,
  type RequestObserver,
} from './settle-request.ts';
import { isUnfinished, recordCreated, recordStored, storedAnswer } from './stored-answers.ts';
import type { CompletionRequest, LiveRequest } from './completion.ts';
import type { FailureKind } from '../../providers/adapters/provider.ts';
import type { ExpectedTokens, PriceList } from './estimate.ts';

/**
 * The reservation and usage of one request. Each request is settled once and reported once, no matter how
 * it ends.
 */
export interface RequestAccount {
  /** Reserves budget for the request. Throws if a limit rejects it. With `wait`, it can wait in a queue. */
  open(spender: Spender, expected: Expected, wait?: QueueWait): Promise<Reservation>;
  /** Sets a function that is called with the request's result. */
  observe(observer: RequestObserver): void;
  /** Called with a time that the request has waited in a queue. */
  waited(milliseconds: number): void;
  /** Called before each model call. If the gateway is killed after this point, the request is billed. */
  readonly calling: (key: string) => void;
  /** Called when a stream begins, with a function that returns a summary of what has been sent so far. */
  readonly streaming: (soFar: () => AnswerSummary) => void;
  readonly attempted: (attempt: Attempt) => void;
  /** Called with the model that responds. Warns if the model has no price and a budget applies. */
  readonly answeredBy: (key: string) => void;
  /**
   * Writes the usage, which is durable when the returned promise resolves. Rejects if writing fails.
   * Repeated calls do nothing.
   */
  settle(outcome: Outcome): Promise<void>;
  /** Settles a request that failed. Never rejects, because the client must receive the original error. */
  fail(error: AppError): Promise<void>;
  /**
   * For a settled request: calls `run` when its abandoned responses are recorded as well, immediately if
   * there are none.
   */
  readonly whenRecorded: (run: () => void) => void;
}

interface Expected extends Omit<Admitted, 'reservation'> {
  readonly estimate: Estimate;
}

interface AccountParts {
  readonly ledger: Ledger;
  readonly objects: Objects;
  readonly live: LiveRequests;
  readonly telemetry: Telemetry;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * This header is set if a budget applies but does not count the response's cost, because the model has no
 * price.
 */
const UNPRICED_HEADER = 'X-Gateway-Unpriced';

/** Response header with the milliseconds that a request has waited in a queue. */
const QUEUE_HEADER = 'X-Gateway-Queue-Ms';

export function openRequestAccount(
  { ledger, objects, live, telemetry, lifecycle, clock, log }: AccountParts,
  request: CompletionRequest,
  trace: RequestTrace | undefined,
): RequestAccount {
  const attempts: Attempt[] = [];
  const handle = live.begin(request, attempts);
  let admitted: Admitted | undefined;
  let isSettled = false;
  let recording: Promise<void> | undefined;
  let inFlight: Flight | undefined;
  let observer: RequestObserver | undefined;
  const onRecording = (recorded: Promise<void>): void => void (recording = recorded);

  const settle = async (outcome: Outcome): Promise<void> => {
    if (isSettled) return;
    isSettled = true;
    handle.end();
    const { answered } = outcome;
    if (answered && admitted) request.replay?.billed(admitted.reservation.spender);
    // Nothing about text tokens can be learned from audio tokens.
    if (answered?.summary && admitted && !admitted.tokens.audio && !outcome.cacheHit)
      admitted.tokens.counts.learn(answered.key, answered.summary);
    const parts = { ledger, telemetry, lifecycle, log, onRecording };
    const state = { request, trace, attempts, admitted, observer };
    const now = clock.now();
    const write = (): Promise<void> =>
      admitted && attempts.some(({ abandoned }) => abandoned)
        ? settleAbandoned(parts, { ...state, admitted }, outcome, now)
        : settleRequest(parts, state, outcome, now);
    const { stored: isStored, created: items = [] } = answered?.summary ?? {};
    // For most responses, the provider does not store anything.
    if (!admitted || (!isStored && items.length === 0)) return await write();
    const stored = storedAnswer(outcome);
    const created = recordCreated(objects, admitted, outcome, now);
    if (!stored || !isUnfinished(stored, outcome)) {
      await Promise.all([
        write(),
        created,
        stored && recordStored({ ledger, objects }, admitted, stored, undefined, now),
      ]);
      return;
    }
    await created;
    await recordStored({ ledger, objects }, admitted, stored, request, now);
    telemetry.completed(completionEvent(state, { ...outcome, answered: undefined }, now));
  };

  let waitedMs = 0;
  const waited = (milliseconds: number): void => {
    waitedMs += milliseconds;
    request.setHeader(QUEUE_HEADER, String(Math.round(waitedMs)));
  };
  return {
    waited,
    observe: (one) => void (observer = one),
    async open(spender, { estimate, ...expected }, wait) {
      try {
        const { prices, tokens, endUser } = expected;
        const flight = createFlight({ request, attempts, prices, expected: tokens, endUser, clock });
        const reservation = await ledger.reserve(spender, estimate, flight.usage, wait);
        if (reservation.queuedMs !== undefined) waited(reservation.queuedMs);
        handle.admitted(spender);
        admitted = { reservation, ...expected };
        inFlight = flight;
        if (reservation.rate) setRateHeaders(request.setHeader, reservation.rate);
        return reservation;
      } catch (error) {
        if (error instanceof AppError && error.reason === 'rate_limited') {
          const rate = await rateOfRefused(ledger, spender, error, clock.now());
          if (rate) setRateHeaders(request.setHeader, rate);
        }
        throw error;
      }
    },
    calling: (key) => inFlight?.calling(key),
    streaming: (soFar) => inFlight?.streaming(soFar),
    attempted(attempt) {
      attempts.push(attempt);
      logFailedAttempt(log, request.requestId, attempt);
    },
    answeredBy(key) {
      handle.answeredBy(key);
      const isUncounted = warnUncounted(log, { request, trace, attempts, admitted }, key);
      if (isUncounted) request.setHeader(UNPRICED_HEADER, 'true');
    },
    settle,
    async fail(error) {
      try {
        await settle({ answered: undefined, error, streamed: false, firstByteMs: undefined });
      } catch (cause) {
        const { requestId } = request;
        log.error({ requestId, err: cause }, 'usage of a failed request not recorded');
      }
    },
    whenRecorded(run) {
      if (recording) void recording.then(run);
      else run();
    },
  };
}

/** The requests in flight in this process, with functions to add and update them. */
interface LiveRequests {
  begin(request: CompletionRequest, attempts: readonly Attempt[]): LiveHandle;
  /** Oldest first. */
  list(): readonly LiveRequest[];
}

/** Reports a request's progress. */
interface LiveHandle {
  readonly admitted: (spender: Spender) => void;
  readonly answeredBy: (model: string) => void;
  readonly end: () => void;
}

export function createLiveRequests(): LiveRequests {
  const live = new OpenList<LiveRequest>();
  return {
    begin({ requestId, endpoint, startedAt }, attempts) {
      const one: { -readonly [Name in keyof LiveRequest]: LiveRequest[Name] } = {
        requestId,
        endpoint,
        startedAt,
        attempts,
        userId: undefined,
        keyId: undefined,
        teamId: undefined,
        model: undefined,
      };
      const entry = live.add(one);
      return {
        admitted({ user, key, groups }) {
          one.userId = user.userId;
          one.keyId = key?.id;
          one.teamId = groups.find(({ kind }) => kind === 'team')?.id;
        },
        answeredBy: (model) => void (one.model = model),
        end: () => live.delete(entry),
      };
    },
    list: () => live.items(),
  };
}

/** Sets the headers with the number of requests that the client has left. */
export function setRateHeaders(
  setHeader: CompletionRequest['setHeader'],
  { limit, remaining, resetAt }: RateState,
): void {
  setHeader('X-RateLimit-Limit', String(limit));
  setHeader('X-RateLimit-Remaining', String(remaining));
  setHeader('X-RateLimit-Reset', String(Math.ceil(resetAt / 1000)));
}

/** The rate limit state for a request that a rate limit rejected. */
async function rateOfRefused(
  ledger: Pick<Ledger, 'quota'>,
  spender: Spender,
  { retryAfterSeconds = 1 }: AppError,
  now: number,
): Promise<RateState | undefined> {
  const { user, key } = await ledger.quota(spender);
  const [narrowest] = [key, user]
    .flatMap((account) => {
      const { limit = null, remaining = null } = account?.requests ?? {};
      return limit === null ? [] : [{ limit, remaining: remaining ?? 0 }];
    })
    .sort((one, other) => one.remaining - other.remaining);
  return narrowest && { ...narrowest, resetAt: now + retryAfterSeconds * 1000 };
}

/** Failures that are caused by the request and do not indicate a problem with the provider. */
const REQUEST_FAILURES = new Set<FailureKind | 'breaker_open'>([
  'bad_request',
  'too_large',
  'unsupported',
  'model_not_found',
  'answer_too_large',
  'cancelled',
]);

/** Logs a failed provider call with its reason. */
function logFailedAttempt(log: Logger, requestId: string, attempt: Attempt): void {
  const { failure, target, number, upstreamStatus, durationMs, detail, noRetry } = attempt;
  if (failure === undefined || attempt.outcome !== 'failed') return;
  const level = REQUEST_FAILURES.has(failure) ? 'info' : 'warn';
  log[level](
    {
      requestId,
      target,
      attempt: number,
      failure,
      upstreamStatus,
      durationMs: Math.round(durationMs),
      detail,
      noRetry,
    },
    'provider call failed',
  );
}

/** Tracks what a request in flight has used so far, in case the gateway is killed. */
interface Flight {
  readonly calling: (key: string) => void;
  readonly streaming: (soFar: () => AnswerSummary) => void;
  /** The usage row to write; undefined as long as no model was called. */
  readonly usage: () => UsageEntry | undefined;
}

interface FlightParts {
  readonly request: CompletionRequest;
  readonly attempts: readonly Attempt[];
  readonly prices: PriceList;
  readonly expected: ExpectedTokens;
  readonly endUser: string | undefined;
  readonly clock: Clock;
}

function createFlight({ request, attempts, prices, expected, endUser, clock }: FlightParts): Flight {
  let key: string | undefined;
  let soFar: (() => AnswerSummary) | undefined;
  /** Only long requests are asked for their usage. */
  let growing: ExpectedTokens | undefined;
  return {
    calling: (target) => void (key = target),
    streaming(read) {
      soFar = read;
    },
    usage() {
      if (key === undefined) return undefined;
      const { endpoint, startedAt } = request;
      const requestId = usageRequestId(request);
      const now = clock.now();
      const facts = {
        endpoint,
        requestId,
        startedAt,
        attempts,
        prices,
        expected: (growing ??= countedBySize(expected)),
        endUser,
        now,
      };
      const answered = { key, summary: soFar?.() ?? NO_ANSWER };
      const entry = usageLines(facts, {
        answered,
        error: INTERRUPTED,
        streamed: soFar !== undefined,
        firstByteMs: undefined,
      }).at(-1)?.entry;
      // The duration of an interrupted request is meaningless, and would change the row each time.
      return entry && { ...entry, status: 'interrupted', estimated: true, latencyMs: null };
    },
  };
}

const INTERRUPTED = new AppError(
  'UnavailableError',
  'The gateway was killed before the end of the response.',
);

const NO_ANSWER: AnswerSummary = {
  usage: undefined,
  outputLength: 0,
  outputText: '',
  finishReason: undefined,
};

/**
 * Recounts the tokens of a growing output only after it has grown by a certain fraction, because many
 * streams can be open.
 */
function countedBySize(expected: ExpectedTokens): ExpectedTokens {
  const { counts } = expected;
  let [length, tokens] = [0, 0];
  let counted: AnswerSummary['usage'];
  const completion = (model: string, summary: AnswerSummary): number => {
    const { outputLength, usage } = summary;
    if (usage !== counted || outputLength > length * MIN_GROWTH) {
      [length, tokens, counted] = [outputLength, counts.completion(model, summary), usage];
      return tokens;
    }
    return length === 0 ? tokens : Math.ceil((tokens * outputLength) / length);
  };
  return { ...expected, counts: { ...counts, completion } };
}

const MIN_GROWTH = 1.25;
