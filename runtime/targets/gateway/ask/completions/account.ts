import { AppError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Lifecycle } from '../../../../serve/lifecycle.ts';
import type { Logger } from '../../../../serve/log.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type { Estimate, Ledger } from '../../accounts/ledger/ledger.ts';
import type { Attempt } from '../routing/routing.ts';
import type { RequestTrace, Telemetry } from './telemetry.ts';
import type { CompletionRequest } from './completion.ts';
import { logFailedAttempt } from './log-failed-attempt.ts';
import { rateOfRefused, setRateHeaders } from './rate-headers.ts';
import type { Admitted } from './request-state.ts';
import { settleRequest } from './settle-request.ts';
import type { Outcome } from './usage-entries.ts';
import { warnUncounted } from './warn-uncounted.ts';

/** What a request owes. Whatever happens to it, that is settled once, and told once. */
export interface RequestAccount {
  /** Lets the request in, or throws why not. */
  open(spender: Spender, expected: Expected): Promise<void>;
  readonly attempted: (attempt: Attempt) => void;
  /** A model answers. Reports it if the model has no price and the request is under a budget. */
  readonly answeredBy: (key: string) => void;
  /** Durable when it resolves; rejects if it could not be written now. Does nothing the second time. */
  settle(outcome: Outcome): Promise<void>;
  /** The request ends with an error. Never rejects: the error is what the client is to hear of. */
  fail(error: AppError): Promise<void>;
  /** For a settled request: runs it when abandoned answers are booked too; at once if there are none. */
  readonly whenBooked: (run: () => void) => void;
}

interface Expected extends Omit<Admitted, 'reservation'> {
  readonly estimate: Estimate;
}

export interface AccountParts {
  readonly ledger: Ledger;
  readonly telemetry: Telemetry;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Set where a budget applies and the cost of the answer is not counted in it. */
const UNPRICED_HEADER = 'X-Gateway-Unpriced';

export function openAccount(
  { ledger, telemetry, lifecycle, clock, log }: AccountParts,
  request: CompletionRequest,
  trace: RequestTrace | undefined,
): RequestAccount {
  const attempts: Attempt[] = [];
  let admitted: Admitted | undefined;
  let isSettled = false;
  let booking: Promise<void> | undefined;
  const onBooking = (booked: Promise<void>): void => void (booking = booked);

  const settle = async (outcome: Outcome): Promise<void> => {
    if (isSettled) return;
    isSettled = true;
    const parts = { ledger, telemetry, lifecycle, log, onBooking };
    await settleRequest(parts, { request, trace, attempts, admitted }, outcome, clock.now());
  };

  return {
    async open(spender, { estimate, prices, tokens }) {
      try {
        const reservation = await ledger.reserve(spender, estimate);
        admitted = { reservation, prices, tokens };
        if (reservation.rate) setRateHeaders(request.setHeader, reservation.rate);
      } catch (error) {
        if (error instanceof AppError && error.reason === 'rate_limited') {
          const rate = await rateOfRefused(ledger, spender, error, clock.now());
          if (rate) setRateHeaders(request.setHeader, rate);
        }
        throw error;
      }
    },
    attempted(attempt) {
      attempts.push(attempt);
      logFailedAttempt(log, request.requestId, attempt);
    },
    answeredBy(key) {
      const isUncounted = warnUncounted(log, { request, trace, attempts, admitted }, key);
      if (isUncounted) request.setHeader(UNPRICED_HEADER, 'true');
    },
    settle,
    async fail(error) {
      try {
        await settle({ answered: undefined, error, streamed: false, firstByteMs: undefined });
      } catch (cause) {
        const { requestId } = request;
        log.error({ requestId, err: cause }, 'a request that failed could not be written down now');
      }
    },
    whenBooked(run) {
      if (booking) void booking.then(run);
      else run();
    },
  };
}
