import { AppError } from '#contract/errors.ts';
import type { Logger } from '#serve/log.ts';
import type { RequestTrace } from '#serve/telemetry/request-trace.ts';
import type { Limits } from '../../accounts/identity/identity.ts';
import { type Ledger, type Reservation, type UsageEntry } from '../../accounts/ledger/ledger.ts';
import { statusAfter } from '../../shared/record-words.ts';
import type { Attempt } from '../routing/routing.ts';
import type { CompletionRequest } from './completion.ts';
import type { ExpectedTokens, PriceList } from './estimate.ts';
import type { CompletionEvent, Telemetry } from './telemetry.ts';
import { statusOfError } from './budget-errors.ts';
import { type AudioCounts, costOf, type TokenPrice, type UnitCounts } from '../../shared/price.ts';
import type { AbandonedRead } from '../../providers/adapters/provider.ts';
import type { AnswerSummary, CountedTokens } from '../../providers/streams/stream.ts';

interface SettleParts {
  readonly ledger: Pick<Ledger, 'settle' | 'release'>;
  readonly telemetry: Telemetry;
}

/**
 * Writes the usage of a request without abandoned responses, and reports it. The usage is durable when the
 * promise resolves.
 */
export async function settleRequest(
  { ledger, telemetry }: SettleParts,
  state: RequestState,
  outcome: Outcome,
  now: number,
): Promise<void> {
  const { admitted } = state;
  if (!admitted) return await concludeRequest(telemetry, state, outcome, now, () => Promise.resolve());
  const entries = entriesOf({ ...state, admitted }, outcome, now);
  const close = outcome.answered ? ledger.settle : ledger.release;
  await concludeRequest(telemetry, state, outcome, now, () => close(admitted.reservation, ...entries));
}

/**
 * Writes a request's rows and reports it once. If writing fails, the request is reported as failed, and the
 * returned promise rejects.
 */
export async function concludeRequest(
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
    const event = completionEvent(state, failed, now);
    telemetry.completed(event);
    state.observer?.(event, failed);
    throw error;
  }
  const event = completionEvent(state, outcome, now);
  telemetry.completed(event);
  state.observer?.(event, outcome);
  state.request.onCost?.(event.cost);
}

/** A job's usage is looked up by the job ID. */
export const usageRequestId = ({ caller, requestId }: RequestState['request']): string =>
  caller.kind === 'work' ? caller.jobId : requestId;

export function entriesOf(
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

/** The data about a request that usage tracking needs. */
export interface RequestState {
  readonly request: CompletionRequest;
  readonly trace: RequestTrace | undefined;
  readonly attempts: readonly Attempt[];
  /** Undefined until the ledger has admitted the request. */
  readonly admitted: Admitted | undefined;
  readonly observer?: RequestObserver | undefined;
}

/** Called once with the result of a request. Never throws. */
export type RequestObserver = (event: CompletionEvent, outcome: Outcome) => void;

export interface Admitted {
  readonly reservation: Reservation;
  readonly prices: PriceList;
  readonly tokens: ExpectedTokens;
  /** The client's own user. */
  readonly endUser?: string | undefined;
  /** IDs of the objects that the request refers to. */
  readonly references: ReadonlySet<string>;
}

/** Whether a budget applies but does not count the request's cost, because the model has no price. */
export function isUncounted({ reservation, prices }: Admitted, model: string): boolean {
  const { user, key } = reservation.spender;
  const isLimited = [user, key].some((one) => one !== undefined && hasBudget(one.limits));
  return isLimited && prices.get(model) === undefined;
}

const hasBudget = ({ maxBudget, budgetLimits }: Limits): boolean =>
  maxBudget !== null || budgetLimits !== undefined;

/** Logs a warning if a budget does not count a model's cost. Returns whether that is the case. */
export function warnUncounted(log: Logger, { request, admitted }: RequestState, model: string): boolean {
  if (!admitted || !isUncounted(admitted, model)) return false;
  const { requestId } = request;
  log.warn({ requestId, model }, 'model has no price, so its cost is not counted in the budget');
  return true;
}

/** The event for a finished request, for metrics and traces. */
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

/** A request's result. */
export interface Outcome {
  /**
   * The model that responded, as `provider:model`, and the summary of a readable response; undefined if no
   * model responded.
   */
  readonly answered:
    | {
        readonly key: string;
        readonly summary: AnswerSummary | undefined;
        /** The name of the key that was used, at a provider that has several. */
        readonly providerKey?: string | undefined;
      }
    | undefined;
  /** The error that the client got instead of the response, or at the end of a stream. */
  readonly error: AppError | undefined;
  readonly streamed: boolean;
  readonly firstByteMs: number | undefined;
  /** Set for cached responses. */
  readonly cacheHit?: UsageEntry['cacheHit'];
}

interface RequestFacts {
  readonly endpoint: string;
  readonly requestId: string;
  readonly startedAt: number;
  readonly attempts: readonly Attempt[];
  readonly prices: PriceList;
  readonly expected: ExpectedTokens;
  readonly endUser?: string | undefined;
  readonly now: number;
}

/**
 * Results of abandoned responses, which were read to their end after the client disconnected or a time limit
 * expired.
 */
export type AbandonedReads = ReadonlyMap<Attempt, AbandonedRead>;

/** A usage row, with its attempt if a model was called. */
interface UsageLine {
  readonly attempt: Attempt | undefined;
  readonly entry: UsageEntry;
}

/**
 * The attempt that determines the request's result: the one that received a response or, if there was none,
 * the last one that failed.
 */
export function ownAttempt(attempts: readonly Attempt[], { answered }: Outcome): Attempt | undefined {
  return answered ? attempts.at(-1) : (attempts.findLast(isFailed) ?? attempts.at(-1));
}

/** A request's usage rows: one per failed attempt, and finally the row of the request itself. */
export function usageLines(facts: RequestFacts, outcome: Outcome, reads: AbandonedReads = NONE): UsageLine[] {
  const { attempts } = facts;
  const { answered, error } = outcome;
  const last = ownAttempt(attempts, outcome);
  const before = attempts.filter((attempt) => isFailed(attempt) && attempt !== last);
  const key = answered?.key ?? last?.target ?? [...facts.prices.keys()][0] ?? '';
  const own: UsageEntry = {
    ...about(facts, key),
    ...used(facts, key, answered),
    ...(outcome.cacheHit && { cost: 0n, cacheSaved: null, pricedBy: null, cacheHit: outcome.cacheHit }),
    providerKey: last?.providerKey,
    status: statusAfter(error),
    errorMessage: error ? publicMessage(error) : null,
    errorDetail: error ? (last?.detail ?? null) : null,
    statusCode: error ? statusOfError(error, facts.endpoint) : 200,
    latencyMs: facts.now - facts.startedAt,
    ttftMs: outcome.firstByteMs ?? null,
    attempt: before.length + 1,
  };
  return [
    ...before.map((attempt, index) => ({
      attempt,
      entry: failedEntry(facts, attempt, reads.get(attempt), index + 1),
    })),
    { attempt: last, entry: own },
  ];
}

/** The value of the price source for prices set by an administrator. */
const OWN_PRICE = 'own';

const NONE: AbandonedReads = new Map();

const isFailed = ({ outcome }: Attempt): boolean => outcome === 'failed';

/** A row's tokens and cost; null if no model responded. */
function used(
  { expected, prices }: RequestFacts,
  key: string,
  answered: { readonly summary: AnswerSummary | undefined } | undefined,
): Pick<
  UsageEntry,
  Exclude<keyof CountedTokens, 'audio'> | 'cost' | 'cacheSaved' | 'pricedBy' | 'estimated' | 'units'
> {
  const tokens = answered && tokensOf(key, answered.summary, expected);
  const price = prices.get(key);
  return {
    promptTokens: tokens?.promptTokens ?? null,
    completionTokens: tokens?.completionTokens ?? null,
    cachedTokens: tokens?.cachedTokens ?? null,
    cacheWriteTokens: tokens?.cacheWriteTokens ?? null,
    cacheWrite1hTokens: tokens?.cacheWrite1hTokens ?? null,
    units: tokens?.units,
    cost: tokens ? costOfUsage(tokens, price) : null,
    cacheSaved: tokens && savedByCache(tokens, price),
    pricedBy: tokens && price ? (price.source ?? OWN_PRICE) : null,
    // The number of characters is known from the request, so the provider's report does not matter.
    estimated:
      answered !== undefined && price?.audio?.perCharacter === undefined && isEstimated(answered.summary),
  };
}

/**
 * The message in a usage row. Clients can read usage rows, so internal errors have no details there, just
 * as in responses.
 */
const publicMessage = ({ code, message }: AppError): string =>
  code === 'InternalError' ? 'Internal error' : message;

/**
 * The tokens reported by the provider. Missing counts are estimated from the output, or from the request if
 * the output is unreadable.
 */
export function tokensOf(
  model: string,
  summary: AnswerSummary | undefined,
  { output, counts, units, audio }: ExpectedTokens,
): CountedTokens {
  const usage = summary?.usage;
  const promptTokens = usage?.promptTokens ?? counts.prompt(model);
  const completionTokens = summary ? counts.completion(model, summary) : output;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: usage?.cachedTokens ?? 0,
    cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
    cacheWrite1hTokens: usage?.cacheWrite1hTokens ?? 0,
    units: summary ? unitsOf(summary, units, promptTokens, completionTokens) : units,
    ...(audio && { audio: audioOf({ ...audio, ...usage?.audio }, promptTokens, completionTokens) }),
  };
}

/**
 * What the response used in addition to tokens. Models that always search do not report their searches.
 */
function unitsOf(
  { usage, units }: AnswerSummary,
  expected: ExpectedTokens['units'],
  prompt: number,
  completion: number,
): UnitCounts {
  const {
    webSearches = expected?.impliedSearches,
    imageInput,
    imageOutput,
    ...rest
  } = { ...usage?.units, ...units };
  return {
    ...rest,
    webSearches,
    // Image tokens cannot exceed the total number of input or output tokens.
    imageInput: imageInput && Math.min(imageInput, prompt),
    imageOutput: imageOutput && Math.min(imageOutput, completion),
  };
}

/** Audio tokens cannot exceed the total. If a model generates speech, all of its output is audio. */
const audioOf = (audio: AudioCounts, prompt: number, completion: number): AudioCounts => ({
  ...audio,
  audioInput: Math.min(audio.audioInput ?? 0, prompt),
  ...(audio.audioOutput !== undefined && { audioOutput: completion }),
});

/**
 * Whether a token count had to be estimated. If there is no output, a missing output count counts as 0, not
 * as an estimate.
 */
export const isEstimated = (summary: AnswerSummary | undefined): boolean =>
  summary?.usage?.promptTokens === undefined ||
  summary.countedLength !== undefined ||
  (summary.usage.completionTokens === undefined && summary.outputLength > 0);

export function costOfUsage(tokens: CountedTokens, price: TokenPrice | undefined): bigint | null {
  if (price === undefined) return null;
  const counts = {
    input: tokens.promptTokens,
    cachedInput: tokens.cachedTokens,
    cacheWrite: tokens.cacheWriteTokens,
    cacheWrite1h: tokens.cacheWrite1hTokens,
    output: tokens.completionTokens,
    units: tokens.units,
    audio: tokens.audio,
  };
  return costOf(counts, price);
}

/**
 * What the provider's cache saved: the cost of the same tokens without it, minus their cost. It is negative
 * if writing cost more than reading saved; null if nothing was read or written, or without a price.
 */
export function savedByCache(tokens: CountedTokens, price: TokenPrice | undefined): bigint | null {
  if (tokens.cachedTokens === 0 && tokens.cacheWriteTokens === 0) return null;
  const cost = costOfUsage(tokens, price);
  const without = costOfUsage({ ...tokens, ...NOT_CACHED }, price);
  return cost === null || without === null ? null : without - cost;
}

const NOT_CACHED = { cachedTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 };

export const providerOf = (key: string): string => key.slice(0, key.indexOf(':'));

const about = (
  { endpoint, requestId, endUser }: RequestFacts,
  key: string,
): Pick<UsageEntry, 'model' | 'provider' | 'endpoint' | 'requestId' | 'endUser'> => ({
  model: key,
  provider: providerOf(key),
  endpoint,
  requestId,
  endUser,
});

const failedEntry = (
  facts: RequestFacts,
  attempt: Attempt,
  read: AbandonedRead | undefined,
  number: number,
): UsageEntry => ({
  ...about(facts, attempt.target),
  ...used(facts, attempt.target, read?.kind === 'answered' ? read : undefined),
  status: attempt.failure === 'cancelled' ? 'cancelled' : 'error',
  errorMessage: attempt.failure ?? null,
  errorDetail: attempt.detail ?? null,
  statusCode: attempt.upstreamStatus ?? null,
  latencyMs: attempt.durationMs,
  providerKey: attempt.providerKey,
  attempt: number,
});
