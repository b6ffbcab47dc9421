import { AppError } from '#contract/errors.ts';
import type { Lifecycle } from '#serve/lifecycle.ts';
import type { Logger } from '#serve/log.ts';
import type { Ledger, UsageEntry, Reservation } from '../../accounts/ledger/ledger.ts';
import type { Attempt } from '../routing/routing.ts';
import type { Telemetry, AbandonedEvent, CompletionEvent } from './telemetry.ts';
import {
  ownAttempt,
  usageLines,
  providerOf,
  type AbandonedReads,
  type Outcome,
  statusOfError,
  isEstimated,
  costOfUsage,
  tokensOf,
} from './usage-entries.ts';
import type { Objects, StoredObject } from '../../accounts/objects/objects.ts';
import type { AnswerSummary } from '../../providers/streams/stream.ts';
import { createdItems } from '../../providers/references.ts';
import type { RequestTrace } from '#serve/telemetry/request-trace.ts';
import type { CompletionRequest } from './completion.ts';
import type { ExpectedTokens, PriceList } from './estimate.ts';
import type { AbandonedRead } from '../../providers/adapters/provider.ts';

interface SettleParts {
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

interface AbandonedRecording {
  /** Attempts whose answers are still being read. */
  readonly attempts: readonly Attempt[];
  readonly requestId: string;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly log: Logger;
  readonly record: (reads: AbandonedReads) => Promise<void>;
}

/**
 * Records the usage of abandoned answers when they have been read. A server that shuts down waits for it and stops the reading when
 * its own time limit expires. Never rejects, because no client is left that could get the error.
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
    log.error({ requestId, err: error }, 'usage of an abandoned answer not recorded');
  } finally {
    endExtension();
  }
}

const FAILED = { kind: 'failed' } as const;

interface StoredParts {
  readonly ledger: Pick<Ledger, 'keep'>;
  readonly objects: Pick<Objects, 'add' | 'addMissing'>;
}

interface StoredAnswer {
  readonly key: string;
  readonly summary: AnswerSummary;
  readonly id: string;
}

/** The answer that the provider has stored; undefined for any other. */
export function storedAnswer({ answered }: Outcome): StoredAnswer | undefined {
  const { key, summary } = answered ?? {};
  return key !== undefined && summary?.stored ? { key, summary, id: summary.stored.id } : undefined;
}

/** Whether the provider still works on the answer, or did when the client left. Its usage is known later. */
export const isUnfinished = ({ summary }: StoredAnswer, { error }: Outcome): boolean =>
  summary.stored?.isInBackground === true && (summary.stored.isQueued || error !== undefined);

/** Records the user of an answer that the provider has stored. If it is unfinished, the reservation is kept until it is billed. */
export async function recordStored(
  { ledger, objects }: StoredParts,
  admitted: Admitted,
  { key, id, summary }: StoredAnswer,
  unfinished: { readonly endpoint: string } | undefined,
  now: number,
): Promise<void> {
  const { reservation, tokens, references } = admitted;
  const held = unfinished && (await ledger.keep(reservation));
  const object: StoredObject = {
    ...ownedBy(admitted, key, now),
    kind: 'response',
    id,
    content: { id },
    plan: unfinished && {
      endpoint: unfinished.endpoint,
      model: key,
      requests: 1,
      inputTokens: tokens.counts.prompt(key),
      outputTokens: tokens.output,
      tags: reservation.spender.tags,
    },
    held,
  };
  // Some servers give all answers one id, which must not be an error of a finished answer.
  if (held) await objects.add(object);
  // What the request has named existed before, and can belong to all.
  const { items = [] } = summary.stored ?? {};
  const created = createdItems(
    object,
    items.filter((item) => !references.has(item)),
  );
  await objects.addMissing(held ? created : [object, ...created]);
}

/** Records the user of what a provider has created with an answer, e.g. the container of its code. */
export async function recordCreated(
  objects: Pick<Objects, 'addMissing'>,
  admitted: Admitted,
  { answered }: Outcome,
  now: number,
): Promise<void> {
  const created = answered?.summary?.created?.filter((id) => !admitted.references.has(id)) ?? [];
  if (!answered || created.length === 0) return;
  await objects.addMissing(createdItems(ownedBy(admitted, answered.key, now), created));
}

function ownedBy({ reservation: { spender } }: Admitted, model: string, now: number) {
  const { user, data, key } = spender;
  return {
    provider: providerOf(model),
    userId: user.userId,
    space: data.owner?.space ?? null,
    keyId: key?.id ?? null,
    model,
    createdAt: Math.floor(now),
  };
}

/** State of a request that usage tracking needs. */
interface RequestState {
  readonly request: CompletionRequest;
  readonly trace: RequestTrace | undefined;
  readonly attempts: readonly Attempt[];
  /** Undefined until the ledger has admitted the request. */
  readonly admitted: Admitted | undefined;
}

export interface Admitted {
  readonly reservation: Reservation;
  readonly prices: PriceList;
  readonly tokens: ExpectedTokens;
  /** The client's own user. */
  readonly endUser?: string | undefined;
  /** Ids that the request names. */
  readonly references: ReadonlySet<string>;
}

/** Whether a budget applies and the model has no price: the budget does not count its cost. */
function isUncounted({ reservation, prices }: Admitted, model: string): boolean {
  const { user, key } = reservation.spender;
  const hasBudget = user.limits.maxBudget !== null || (key !== undefined && key.limits.maxBudget !== null);
  return hasBudget && prices.get(model) === undefined;
}

/** Logs a warning if the cost of a model is not counted in a budget. Returns whether that is the case. */
export function warnUncounted(log: Logger, { request, admitted }: RequestState, model: string): boolean {
  if (!admitted || !isUncounted(admitted, model)) return false;
  const { requestId } = request;
  log.warn({ requestId, model }, 'model without a price: its cost is not counted in the budget');
  return true;
}

/** The event of a request that has ended, for metrics and traces. */
export function completionEvent(
  { request, trace, attempts, admitted }: RequestState,
  { answered, error, streamed, firstByteMs, cacheHit }: Outcome,
  now: number,
): CompletionEvent {
  const { endpoint, requestId, startedAt } = request;
  const model = answered?.key ?? attempts.at(-1)?.target;
  const usage = answered && admitted && tokensOf(answered.key, answered.summary, admitted.tokens);
  const price = answered && admitted?.prices.get(answered.key);
  return {
    endpoint,
    requestId,
    trace,
    model,
    provider: model && providerOf(model),
    status: error ? statusOfError(error, endpoint) : 200,
    reason: error?.reason,
    usage,
    unpriced:
      !cacheHit && answered !== undefined && admitted !== undefined && isUncounted(admitted, answered.key),
    cost: cacheHit ? 0n : usage ? (costOfUsage(usage, price) ?? undefined) : undefined,
    cacheHit,
    attempts,
    streamed,
    startedAt,
    firstByteMs,
    durationMs: now - startedAt,
  };
}

/** The event of an abandoned answer for metrics. With `isOwn`, its usage is already in the event of the request itself. */
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
