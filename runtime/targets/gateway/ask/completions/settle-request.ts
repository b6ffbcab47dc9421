import type { Lifecycle } from '../../../../serve/lifecycle.ts';
import type { Logger } from '../../../../serve/log.ts';
import type { Ledger, UsageEntry } from '../../accounts/ledger/ledger.ts';
import type { Attempt } from '../routing/routing.ts';
import type { Telemetry } from './telemetry.ts';
import { abandonedEvent } from './abandoned-event.ts';
import { bookAbandoned } from './book-abandoned.ts';
import { concludeRequest } from './conclude-request.ts';
import type { Admitted, RequestState } from './request-state.ts';
import { type AbandonedReads, type Outcome, ownAttempt, usageLines } from './usage-entries.ts';
import { warnUncounted } from './warn-uncounted.ts';

export interface SettleParts {
  readonly ledger: Pick<Ledger, 'settle' | 'release' | 'bill'>;
  readonly telemetry: Telemetry;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly log: Logger;
  /** Called with a promise that never rejects where an abandoned answer is booked later. */
  readonly onBooking: (booked: Promise<void>) => void;
}

/** Writes what a request did and reports it. What is known by now is durable when it resolves. */
export async function settleRequest(
  parts: SettleParts,
  state: RequestState,
  outcome: Outcome,
  now: number,
): Promise<void> {
  const { ledger, telemetry } = parts;
  const { attempts, admitted } = state;
  if (!admitted) return await concludeRequest(telemetry, state, outcome, now, () => Promise.resolve());
  const abandoned = attempts.filter((attempt) => attempt.abandoned);
  if (abandoned.length > 0) return await settleAbandoned(parts, { ...state, admitted }, outcome, now);
  const entries = entriesOf({ ...state, admitted }, outcome, now);
  const close = outcome.answered ? ledger.settle : ledger.release;
  await concludeRequest(telemetry, state, outcome, now, () => close(admitted.reservation, ...entries));
}

/** The reservation stays open until the last abandoned answer is read. */
async function settleAbandoned(
  { ledger, telemetry, lifecycle, log, onBooking }: SettleParts,
  state: RequestState & { readonly admitted: Admitted },
  outcome: Outcome,
  now: number,
): Promise<void> {
  const { request, attempts, admitted } = state;
  const { reservation } = admitted;
  const abandoned = attempts.filter((attempt) => attempt.abandoned);
  const isAbandoned = (attempt: Attempt | undefined): boolean => attempt?.abandoned !== undefined;
  const own = ownAttempt(attempts, outcome);
  // The row of a request that came to nothing else is not known before its answer is read.
  const isOwnLate = isAbandoned(own);

  const book = async (reads: AbandonedReads): Promise<void> => {
    const late = isOwnLate ? { ...outcome, answered: answeredBy(own, reads) } : outcome;
    const entries = entriesOf(state, late, now, reads, (attempt) => isOwnLate || isAbandoned(attempt));
    const write = async (): Promise<void> => await ledger.settle(reservation, ...entries);
    for (const [attempt, read] of reads) {
      const { target } = attempt;
      telemetry.abandoned(abandonedEvent(admitted, target, read, attempt === own));
      if (read.kind === 'answered') warnUncounted(log, state, target);
    }
    await (isOwnLate ? concludeRequest(telemetry, state, late, now, write) : write());
  };
  const { requestId } = request;
  onBooking(bookAbandoned({ attempts: abandoned, requestId, lifecycle, log, book }));
  if (isOwnLate) return;
  const known = entriesOf(state, outcome, now, undefined, (attempt) => !isAbandoned(attempt));
  const write = async (): Promise<void> => await ledger.bill(reservation.spender, ...known);
  await concludeRequest(telemetry, state, outcome, now, write);
}

function answeredBy(own: Attempt | undefined, reads: AbandonedReads): Outcome['answered'] {
  if (!own) return undefined;
  const read = reads.get(own);
  return read?.kind === 'answered' ? { key: own.target, summary: read.summary } : undefined;
}

function entriesOf(
  { request, attempts, admitted }: RequestState & { readonly admitted: Admitted },
  outcome: Outcome,
  now: number,
  reads?: AbandonedReads,
  isWanted: (attempt: Attempt | undefined) => boolean = () => true,
): UsageEntry[] {
  const { endpoint, caller, requestId, startedAt } = request;
  const facts = {
    endpoint,
    // A row of a job is found by the job.
    requestId: caller.kind === 'work' ? caller.jobId : requestId,
    startedAt,
    attempts,
    prices: admitted.prices,
    expected: admitted.tokens,
    now,
  };
  return usageLines(facts, outcome, reads)
    .filter(({ attempt }) => isWanted(attempt))
    .map(({ entry }) => entry);
}
