import type { Lifecycle } from '#serve/lifecycle.ts';
import type { Logger } from '#serve/log.ts';
import type { Ledger } from '../../accounts/ledger/ledger.ts';
import type { AbandonedRead } from '../../providers/adapters/provider.ts';
import type { Attempt } from '../routing/routing.ts';
import {
  concludeRequest,
  costOfUsage,
  entriesOf,
  isEstimated,
  isUncounted,
  ownAttempt,
  tokensOf,
  warnUncounted,
  type AbandonedReads,
  type Admitted,
  type Outcome,
  type RequestState,
} from './settle-request.ts';
import type { AbandonedEvent, Telemetry } from './telemetry.ts';

interface AbandonedParts {
  readonly ledger: Pick<Ledger, 'settle' | 'bill'>;
  readonly telemetry: Telemetry;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly log: Logger;
  /**
   * Called if abandoned responses are recorded later, with a promise that resolves when they have been
   * recorded. The promise never rejects.
   */
  readonly onRecording: (recorded: Promise<void>) => void;
}

/**
 * Writes the usage of a request with abandoned responses, and reports it. When it resolves, everything
 * known so far is durable; the reservation stays open until the last abandoned response has been read.
 */
export async function settleAbandoned(
  { ledger, telemetry, lifecycle, log, onRecording }: AbandonedParts,
  state: RequestState & { readonly admitted: Admitted },
  outcome: Outcome,
  now: number,
): Promise<void> {
  const { request, attempts, admitted } = state;
  const { reservation } = admitted;
  const abandoned = attempts.filter((attempt) => attempt.abandoned);
  const isAbandoned = (attempt: Attempt | undefined): boolean => attempt?.abandoned !== undefined;
  const own = ownAttempt(attempts, outcome);
  // If the attempt that determines the result is itself abandoned, the request's row is unknown until its
  // response is read.
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

function answeredBy(own: Attempt | undefined, reads: AbandonedReads): Outcome['answered'] {
  if (!own) return undefined;
  const read = reads.get(own);
  return read?.kind === 'answered'
    ? { key: own.target, summary: read.summary, providerKey: own.providerKey }
    : undefined;
}

interface AbandonedRecording {
  /** Attempts whose responses are still being read. */
  readonly attempts: readonly Attempt[];
  readonly requestId: string;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly log: Logger;
  readonly record: (reads: AbandonedReads) => Promise<void>;
}

/**
 * Records the usage of abandoned responses once they have been read. A server that shuts down waits for
 * this, but stops reading when its own time limit expires. Never rejects, because no client is left to
 * receive the error.
 */
async function recordAbandoned({
  attempts,
  requestId,
  lifecycle,
  log,
  record,
}: AbandonedRecording): Promise<void> {
  const endExtension = lifecycle.extend(() => {
    for (const { abandoned } of attempts) abandoned?.stop();
  });
  try {
    const reads: AbandonedReads = new Map(
      await Promise.all(
        attempts.map(async (attempt) => [attempt, (await attempt.abandoned?.read) ?? FAILED] as const),
      ),
    );
    await record(reads);
  } catch (error) {
    log.error({ requestId, err: error }, 'usage of an abandoned response not recorded');
  } finally {
    endExtension();
  }
}

const FAILED = { kind: 'failed' } as const;

/**
 * The event for an abandoned response, for metrics. With `isOwn`, its usage is already included in the event
 * of the request itself.
 */
function abandonedEvent(
  admitted: Admitted,
  model: string,
  read: AbandonedRead,
  isOwn: boolean,
): AbandonedEvent {
  if (read.kind === 'failed') return { ...NOTHING_USED, model, outcome: 'failed' };
  const outcome = isEstimated(read.summary) ? 'estimated' : 'read';
  if (isOwn) return { ...NOTHING_USED, model, outcome };
  const usage = tokensOf(model, read.summary, admitted.tokens);
  const cost = costOfUsage(usage, admitted.prices.get(model)) ?? undefined;
  return { model, outcome, usage, cost, unpriced: isUncounted(admitted, model) };
}

const NOTHING_USED = { usage: undefined, cost: undefined, unpriced: false } as const;
