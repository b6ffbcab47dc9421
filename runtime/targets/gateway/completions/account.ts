import { AppError } from '../../../contract/errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { HTTP_STATUS } from '../../../serve/errors/http-status.ts';
import type { Logger } from '../../../serve/log.ts';
import type { Spender } from '../identity/api.ts';
import type { Estimate, Ledger, Reservation } from '../ledger/api.ts';
import type { Attempt } from '../routing/api.ts';
import type { RequestTrace, Telemetry } from '../telemetry/api.ts';
import type { CompletionRequest } from './api.ts';
import type { ExpectedTokens, PriceList } from './priced-targets.ts';
import { rateOfRefused, setRateHeaders } from './rate-headers.ts';
import { type Outcome, priceOf, providerOf, tokensOf, usageEntries } from './usage-entries.ts';

/** What a request owes. Whatever happens to it, that is settled once, and told once. */
export interface RequestAccount {
  /** Lets the request in, or throws why not. */
  open(spender: Spender, expected: Expected): Promise<void>;
  readonly attempted: (attempt: Attempt) => void;
  /** Durable when it resolves; rejects if it could not be written now. Does nothing the second time. */
  settle(outcome: Outcome): Promise<void>;
  /** The request ends with an error. Never rejects: the error is what the client is to hear of. */
  fail(error: AppError): Promise<void>;
}

interface Expected {
  readonly estimate: Estimate;
  readonly prices: PriceList;
  readonly tokens: ExpectedTokens;
}

export interface AccountParts {
  readonly ledger: Ledger;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the request is called in the accounts. */
const accountedId = ({ caller, requestId }: CompletionRequest): string =>
  caller.kind === 'work' ? caller.jobId : requestId;

export function openAccount(
  { ledger, telemetry, clock, log }: AccountParts,
  request: CompletionRequest,
  trace: RequestTrace | undefined,
): RequestAccount {
  const { endpoint, requestId, startedAt } = request;
  const attempts: Attempt[] = [];
  let reservation: Reservation | undefined;
  let expected: Expected | undefined;
  let isSettled = false;

  const write = async (outcome: Outcome): Promise<void> => {
    if (!reservation || !expected) return;
    const { prices, tokens } = expected;
    const facts = {
      endpoint,
      requestId: accountedId(request),
      startedAt,
      attempts,
      prices,
      expected: tokens,
      now: clock.now(),
    };
    const entries = usageEntries(facts, outcome);
    if (outcome.answered) await ledger.settle(reservation, ...entries);
    else await ledger.release(reservation, ...entries);
  };
  const tell = ({ answered, error, streamed, firstByteMs }: Outcome): void => {
    const model = answered?.key ?? attempts.at(-1)?.target;
    const usage = answered && expected && tokensOf(answered.summary, expected.tokens);
    const price = answered && expected?.prices.get(answered.key);
    telemetry.completed({
      endpoint,
      requestId,
      trace,
      model,
      provider: model && providerOf(model),
      status: error ? HTTP_STATUS[error.code] : 200,
      reason: error?.reason,
      usage,
      cost: usage ? (priceOf(usage, price) ?? undefined) : undefined,
      attempts,
      streamed,
      startedAt,
      firstByteMs,
      durationMs: clock.now() - startedAt,
    });
  };
  const settle = async (outcome: Outcome): Promise<void> => {
    if (isSettled) return;
    isSettled = true;
    try {
      await write(outcome);
    } catch (error) {
      tell({ ...outcome, error: outcome.error ?? AppError.from(error) });
      throw error;
    }
    tell(outcome);
  };

  return {
    async open(spender, what) {
      try {
        reservation = await ledger.reserve(spender, what.estimate);
      } catch (error) {
        if (error instanceof AppError && error.reason === 'rate_limited') {
          const rate = await rateOfRefused(ledger, spender, error, clock.now());
          if (rate) setRateHeaders(request.setHeader, rate);
        }
        throw error;
      }
      expected = what;
      if (reservation.rate) setRateHeaders(request.setHeader, reservation.rate);
    },
    attempted: (attempt) => void attempts.push(attempt),
    settle,
    async fail(error) {
      try {
        await settle({ answered: undefined, error, streamed: false, firstByteMs: undefined });
      } catch (cause) {
        log.error({ requestId, err: cause }, 'a request that failed could not be written down now');
      }
    },
  };
}
