import { AppError } from '#contract/errors.ts';
import type { Lifecycle } from '#serve/lifecycle.ts';
import type { Logger } from '#serve/log.ts';
import type { Ledger, UsageEntry } from '../../accounts/ledger/ledger.ts';
import type { Attempt } from '../routing/routing.ts';
import type { Telemetry } from './telemetry.ts';
import { abandonedEvent, completionEvent } from './completion-event.ts';
import { recordAbandoned } from './record-abandoned.ts';
import type { Admitted, RequestState } from './request-state.ts';
import { type AbandonedReads, type Outcome, ownAttempt, usageLines } from './usage-entries.ts';
import { warnUncounted } from './warn-uncounted.ts';

export interface SettleParts {
  readonly ledger: Pick<Ledger, 'settle' | 'release' | 'bill'>;
  readonly telemetry: Telemetry;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly log: Logger;
  /** Called if abandoned answers are recorded later, with a promise that resolves when they are. It never rejects. */
  readonly onRecording: (recorded: Promise<void>) => void;
}

/** Writes the usage of a request and reports it. Everything known by then is durable when it resolves. */
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
  { ledger, telemetry, lifecycle, log, onRecording }: SettleParts,
  state: RequestState & { readonly admitted: Admitted },
  outcome: Outcome,
  now: number,
): Promise<void> {
  const { request, attempts, admitted } = state;
  const { reservation } = admitted;
  const abandoned = attempts.filter((attempt) => attempt.abandoned);
  const isAbandoned = (attempt: Attempt | undefined): boolean => attempt?.abandoned !== undefined;
  const own = ownAttempt(attempts, outcome);
  // If the attempt that decides the request is itself abandoned, the row of the request is unknown until its answer is read.
  const isOwnLate = isAbandoned(own);

  const record = async (reads: AbandonedReads): Promise<void> => {
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
  onRecording(recordAbandoned({ attempts: abandoned, requestId, lifecycle, log, record }));
  if (isOwnLate) return;
  const known = entriesOf(state, outcome, now, undefined, (attempt) => !isAbandoned(attempt));
  const write = async (): Promise<void> => await ledger.bill(reservation.spender, ...known);
  await concludeRequest(telemetry, state, outcome, now, write);
}

/** Writes the rows of a request and reports it once. If writing fails, it is reported as an error and this rejects. */
async function concludeRequest(
  telemetry: Telemetry,
  state: RequestState,
  outcome: Outcome,
  now: number,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    const failed = { ...outcome, error: outcome.error ?? AppError.from(error) };
    telemetry.completed(completionEvent(state, failed, now));
    throw error;
  }
  telemetry.completed(completionEvent(state, outcome, now));
}

function answeredBy(own: Attempt | undefined, reads: AbandonedReads): Outcome['answered'] {
  if (!own) return undefined;
  const read = reads.get(own);
  return read?.kind === 'answered' ? { key: own.target, summary: read.summary } : undefined;
}

/** Usage of a job is looked up by the id of the job. */
export const usageRequestId = ({ caller, requestId }: RequestState['request']): string =>
  caller.kind === 'work' ? caller.jobId : requestId;

function entriesOf(
  { request, attempts, admitted }: RequestState & { readonly admitted: Admitted },
  outcome: Outcome,
  now: number,
  reads?: AbandonedReads,
  isIncluded: (attempt: Attempt | undefined) => boolean = () => true,
): UsageEntry[] {
  const { endpoint, startedAt } = request;
  const facts = {
    endpoint,
    requestId: usageRequestId(request),
    startedAt,
    attempts,
    prices: admitted.prices,
    expected: admitted.tokens,
    endUser: admitted.endUser,
    now,
  };
  return usageLines(facts, outcome, reads)
    .filter(({ attempt }) => isIncluded(attempt))
    .map(({ entry }) => entry);
}
