import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Lifecycle } from '#serve/lifecycle.ts';
import type { Logger } from '#serve/log.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type { Admission } from '../../accounts/ledger/admission.ts';
import type { Objects } from '../../accounts/objects/objects.ts';
import type { Estimate, Ledger } from '../../accounts/ledger/ledger.ts';
import type { Attempt } from '../routing/routing.ts';
import type { AnswerSummary } from '../../providers/streams/stream.ts';
import { createFlight, type Flight } from './flight.ts';
import type { RequestTrace } from '#serve/telemetry/request-trace.ts';
import type { Telemetry } from './telemetry.ts';
import { completionEvent } from './completion-event.ts';
import type { CompletionRequest } from './completion.ts';
import type { LiveRequests } from './live-requests.ts';
import { logFailedAttempt } from './log-failed-attempt.ts';
import { rateOfRefused, setRateHeaders } from './rate-headers.ts';
import type { Admitted } from './request-state.ts';
import { isUnfinished, recordCreated, recordStored, storedAnswer } from './stored-response.ts';
import { settleRequest } from './settle-request.ts';
import type { Outcome } from './usage-entries.ts';
import { warnUncounted } from './warn-uncounted.ts';

/** The reservation and usage of one request. It is settled once and reported once, however the request ends. */
export interface RequestAccount {
  /** Reserves budget for the request. Throws if a limit rejects it. */
  open(spender: Spender, expected: Expected): Promise<Admission>;
  /** Called before each call of a model. If the gateway is killed after that, the request is billed. */
  readonly calling: (key: string) => void;
  /** Called when a stream begins, with what was sent of it until now. */
  readonly streaming: (soFar: () => AnswerSummary) => void;
  readonly attempted: (attempt: Attempt) => void;
  /** Called with the model that answers. Warns if the model has no price and a budget applies. */
  readonly answeredBy: (key: string) => void;
  /** Writes the usage, which is durable when this resolves. Rejects if writing fails. A second call does nothing. */
  settle(outcome: Outcome): Promise<void>;
  /** Settles a request that ends with an error. Never rejects, because the client must get the original error. */
  fail(error: AppError): Promise<void>;
  /** For a settled request: calls `run` when its abandoned answers are recorded too, immediately if there are none. */
  readonly whenRecorded: (run: () => void) => void;
}

interface Expected extends Omit<Admitted, 'reservation'> {
  readonly estimate: Estimate;
}

export interface AccountParts {
  readonly ledger: Ledger;
  readonly objects: Objects;
  readonly live: LiveRequests;
  readonly telemetry: Telemetry;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Set if a budget applies and the cost of the answer is not counted in it. */
const UNPRICED_HEADER = 'X-Gateway-Unpriced';

export function openAccount(
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
  const onRecording = (recorded: Promise<void>): void => void (recording = recorded);

  const settle = async (outcome: Outcome): Promise<void> => {
    if (isSettled) return;
    isSettled = true;
    handle.end();
    const { answered } = outcome;
    // Tokens of audio say nothing about those of texts.
    if (answered?.summary && admitted && !admitted.tokens.audio && !outcome.cacheHit)
      admitted.tokens.counts.learn(answered.key, answered.summary);
    const parts = { ledger, telemetry, lifecycle, log, onRecording };
    const state = { request, trace, attempts, admitted };
    const now = clock.now();
    const stored = storedAnswer(outcome);
    if (!admitted) return await settleRequest(parts, state, outcome, now);
    const created = recordCreated(objects, admitted, outcome, now);
    if (!stored || !isUnfinished(stored, outcome)) {
      await Promise.all([
        settleRequest(parts, state, outcome, now),
        created,
        stored && recordStored({ ledger, objects }, admitted, stored, undefined, now),
      ]);
      return;
    }
    await created;
    await recordStored({ ledger, objects }, admitted, stored, request, now);
    telemetry.completed(completionEvent(state, { ...outcome, answered: undefined }, now));
  };

  return {
    async open(spender, { estimate, ...expected }) {
      try {
        const { prices, tokens, endUser } = expected;
        const flight = createFlight({ request, attempts, prices, expected: tokens, endUser, clock });
        const reservation = await ledger.reserve(spender, estimate, flight.usage);
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
