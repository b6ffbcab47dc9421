import type { AppError } from '#contract/errors.ts';
import { type AudioCounts, costOf, type TokenPrice, type UnitCounts } from '../../shared/price.ts';
import { statusAfter, type UsageEntry } from '../../accounts/ledger/ledger.ts';
import type { AbandonedRead } from '../../providers/adapters/provider.ts';
import type { Attempt } from '../routing/routing.ts';
import type { AnswerSummary, CountedTokens } from '../../providers/streams/stream.ts';
import type { ExpectedTokens, PriceList } from './estimate.ts';
import { HTTP_STATUS } from '#serve/errors/http-status.ts';

/** The result of a request. */
export interface Outcome {
  /** The model that answered, as `provider:model`, and the summary of a readable answer; undefined if no model answered. */
  readonly answered: { readonly key: string; readonly summary: AnswerSummary | undefined } | undefined;
  /** The error that the client got instead of the answer, or at the end of a stream. */
  readonly error: AppError | undefined;
  readonly streamed: boolean;
  readonly firstByteMs: number | undefined;
  /** Set if the answer is from the cache. */
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

/** Results of abandoned answers, which were read to their end after the client disconnected or a time limit expired. */
export type AbandonedReads = ReadonlyMap<Attempt, AbandonedRead>;

/** A usage row with its attempt, if a model was called at all. */
interface UsageLine {
  readonly attempt: Attempt | undefined;
  readonly entry: UsageEntry;
}

/** The attempt that decides the result of the request: the one that answered or, if none did, the one that failed last. */
export function ownAttempt(attempts: readonly Attempt[], { answered }: Outcome): Attempt | undefined {
  return answered ? attempts.at(-1) : (attempts.findLast(isFailed) ?? attempts.at(-1));
}

/** The usage rows of a request: one per failed attempt, and last the row of the request itself. */
export function usageLines(facts: RequestFacts, outcome: Outcome, reads: AbandonedReads = NONE): UsageLine[] {
  const { attempts } = facts;
  const { answered, error } = outcome;
  const last = ownAttempt(attempts, outcome);
  const before = attempts.filter((attempt) => isFailed(attempt) && attempt !== last);
  const key = answered?.key ?? last?.target ?? [...facts.prices.keys()][0] ?? '';
  const own: UsageEntry = {
    ...about(facts, key),
    ...used(facts, key, answered),
    ...(outcome.cacheHit && { cost: 0n, pricedBy: null, cacheHit: outcome.cacheHit }),
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

/** The source of a price that an administrator has set. */
const OWN_PRICE = 'own';

const NONE: AbandonedReads = new Map();

const isFailed = ({ outcome }: Attempt): boolean => outcome === 'failed';

/** Tokens and cost of a row; null if no model answered. */
function used(
  { expected, prices }: RequestFacts,
  key: string,
  answered: { readonly summary: AnswerSummary | undefined } | undefined,
): Pick<UsageEntry, Exclude<keyof CountedTokens, 'audio'> | 'cost' | 'pricedBy' | 'estimated' | 'units'> {
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
    pricedBy: tokens && price ? (price.source ?? OWN_PRICE) : null,
    // Characters of the request are known, whatever the provider reports.
    estimated:
      answered !== undefined && price?.audio?.perCharacter === undefined && isEstimated(answered.summary),
  };
}

/** The message for a usage row. Clients can read usage rows, so internal errors have no details there, as in responses. */
const publicMessage = ({ code, message }: AppError): string =>
  code === 'InternalError' ? 'Internal error' : message;

/** The tokens that the provider reported. Missing counts are estimated from the output, or from the request if it is unreadable. */
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

/** What the answer used besides tokens. Models that always search do not report it. */
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
    // Images are at most what there is.
    imageInput: imageInput && Math.min(imageInput, prompt),
    imageOutput: imageOutput && Math.min(imageOutput, completion),
  };
}

/** Audio is at most what there is. What a model speaks is all audio. */
const audioOf = (audio: AudioCounts, prompt: number, completion: number): AudioCounts => ({
  ...audio,
  audioInput: Math.min(audio.audioInput ?? 0, prompt),
  ...(audio.audioOutput !== undefined && { audioOutput: completion }),
});

/** Whether a count had to be estimated. Without output, a missing output count is not an estimate. */
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
  attempt: number,
});

// A budget that rejects a request is 403, as in the reference implementation. Agents that use the APIs of Anthropic and of OpenAI's responses
// take a 403 for a failed sign-in, or repeat the request, so these paths have the errors that their own providers send for a spent credit
// (docs/decisions/0136).

interface BudgetError {
  readonly status: number;
  readonly type: string;
}

const BY_PATH: readonly (readonly [RegExp, BudgetError])[] = [
  [/^\/v1\/messages\/?$/, { status: 402, type: 'billing_error' }],
  // Also below the paths of Azure.
  [/^\/(?:v1|openai|openai\/v1)\/responses\/?$/, { status: 429, type: 'insufficient_quota' }],
];

/** Whether a budget rejects the request. */
export const isBudgetError = ({ reason }: AppError): boolean =>
  reason === 'budget_exceeded' || reason === 'estimate_exceeds_budget';

/** The error of a path for a request that a budget refuses; undefined where it is 403, and for other errors. */
export const budgetErrorOf = (error: AppError, path: string): BudgetError | undefined =>
  isBudgetError(error) ? BY_PATH.find(([pattern]) => pattern.test(path))?.[1] : undefined;

/** The status of an error of a path or an endpoint. */
export const statusOfError = (error: AppError, path: string): number =>
  budgetErrorOf(error, path)?.status ?? HTTP_STATUS[error.code];
